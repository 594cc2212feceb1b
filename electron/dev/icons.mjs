/** `node electron/dev/icons.mjs`: draws the PNG icons from their SVG sources, with the browser at hand. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { rootDir } from "./setup/paths.mjs";
import { printProblem, SetupProblem } from "./setup/problem.mjs";
import { findChromium } from "./setup/programs.mjs";

const iconsDir = path.join(rootDir, "resources", "icons");
const APP_SIZES = [16, 24, 32, 48, 64, 128, 256, 512];
const MAIN_SIZE = 1024;

async function drawAll(page) {
  const app = await readFile(path.join(iconsDir, "icon.svg"), "utf8");
  await draw(page, app, MAIN_SIZE, "icon.png");
  for (const size of APP_SIZES) await draw(page, app, size, path.join("linux", `${size}x${size}.png`));

  const tray = await readFile(path.join(iconsDir, "tray.svg"), "utf8");
  const plain = tray.replace(/<circle id="waiting"[^>]*>/, "");
  for (const [name, svg] of [
    ["tray", plain],
    ["trayWaiting", tray],
  ]) {
    await draw(page, svg, 16, `${name}.png`);
    await draw(page, svg, 32, `${name}@2x.png`);
  }
}

async function draw(page, svg, size, file) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(
    `<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`,
  );
  const target = path.join(iconsDir, file);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, await page.screenshot({ omitBackground: true }));
}

try {
  const executablePath = findChromium();
  if (executablePath === null) throw new SetupProblem("There is no Chromium.", "install one and try again.");
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
  try {
    await drawAll(await browser.newPage());
  } finally {
    await browser.close();
  }
} catch (error) {
  printProblem(error);
}
