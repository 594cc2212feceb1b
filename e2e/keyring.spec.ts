/** Keys that a person typed in, with a real keyring behind them: sealed on the disk, and there again after a restart. */

import { startKeyring } from "./fixtures/keyring.ts";
import { expect, test } from "./fixtures/test.ts";

test.describe.configure({ timeout: 120_000 });

const value = "tvly-sealed-0123456789abcdef";

test("a stored key is sealed by the system's keyring, opens after a restart, and only with that keyring", async ({
  newPlace,
  launch,
  later,
}) => {
  const keyring = await startKeyring();
  later(() => keyring.stop());
  const place = await newPlace({ config: "{}" });

  const first = await launch(place, { env: keyring.env });
  expect(await first.operator.rpc.call("secrets.list", {})).toMatchObject({
    protection: { kind: "keyring", backend: "gnome_libsecret" },
  });
  await first.operator.rpc.call("secrets.set", { name: "TAVILY_API_KEY", value });
  const file = await place.read(place.paths.secrets);
  expect(file).not.toContain(value);
  expect(file).not.toContain(Buffer.from(value).toString("base64").slice(0, 20));
  const { secrets } = JSON.parse(file) as { secrets: Record<string, Record<string, unknown>> };
  expect(Object.keys(secrets.TAVILY_API_KEY ?? {}).sort()).toEqual(["sealed", "updatedAtMs"]);
  await first.close();

  const second = await launch(place, { env: keyring.env });
  expect(await second.operator.rpc.call("secrets.list", {})).toMatchObject({
    stored: [{ name: "TAVILY_API_KEY", masked: "••••cdef", isSealed: true }],
    problem: null,
  });
  await second.open("/settings");
  const keys = second.panel.getByRole("region", { name: "Keys of services" });
  await expect(keys.getByText("••••cdef", { exact: false })).toBeVisible();
  await second.close();

  // Without the keyring the file says nothing: neither the key nor a part of it.
  const third = await launch(place);
  expect(await third.operator.rpc.call("secrets.list", {})).toMatchObject({
    protection: { kind: "file" },
    stored: [{ name: "TAVILY_API_KEY", masked: null, isSealed: true }],
  });
  expect(await place.read(place.paths.secrets)).toBe(file);
});
