/** The hosts of exec, by kind. */

import type { ExecHost as HostKind } from "../../../../shared/exec/index.ts";
import type { ExecHost } from "./execHost.ts";
import { createGatewayHost } from "./gatewayHost.ts";
import { createNodeHost } from "./nodeHost.ts";
import { createSandboxHost, type SandboxHostDeps } from "./sandboxHost.ts";

export type { ExecHost, HostAvailability, HostPlace, PreparedRun } from "./execHost.ts";
export { isNetworkShared, sandboxSettingsOf } from "./sandboxSettings.ts";

export type ExecHosts = Readonly<Record<HostKind, ExecHost>>;

export function createExecHosts(
  deps: SandboxHostDeps & Pick<Parameters<typeof createGatewayHost>[0], "lookup">,
): ExecHosts {
  return { gateway: createGatewayHost(deps), sandbox: createSandboxHost(deps), node: createNodeHost() };
}
