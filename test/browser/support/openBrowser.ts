import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium, type LaunchOptions } from "playwright-core";

const project = new URL("../../../", import.meta.url);
const given = process.env.CHROMIUM;
/** `npm ci` brings a Chromium for this platform, with the libraries that it needs. */
const isBrought = process.platform === "linux" && process.arch === "x64";
const installed = [
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
].find(existsSync);

/** False: there is nothing to look with. Install Chromium or Chrome, or set CHROMIUM to the path of one. */
export const hasBrowser = given !== undefined || isBrought || installed !== undefined;

/** Opens a headless Chromium. Closing it leaves nothing behind. */
export async function openBrowser(): Promise<Browser> {
  if (given || !isBrought) return launch({ executablePath: (given ?? installed) as string });
  const directory = await mkdtemp(join(tmpdir(), "content-service-browser-"));
  try {
    const browser = await launch(await unpack(directory));
    browser.on("disconnected", () => void rm(directory, { recursive: true, force: true }));
    return browser;
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

function launch(options: LaunchOptions): Promise<Browser> {
  // Its sandbox cannot be had as root, nor in most containers; it sees no other pages than ours.
  return chromium.launch({ ...options, args: ["--no-sandbox"] });
}

/**
 * The package unpacks into the process's temporary directory, so it gets a process of its own; it unpacks its libraries
 * only on AWS. Its fonts.conf names /tmp/fonts, so the fonts get a configuration that names where they are: without any
 * font, Chromium ends.
 */
async function unpack(directory: string): Promise<LaunchOptions> {
  const script = 'import chromium from "@sparticuz/chromium"; process.stdout.write(await chromium.executablePath());';
  const { stdout: executablePath } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", script],
    { cwd: project, env: { ...process.env, TMPDIR: directory, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x" } },
  );
  const fontSettings = join(directory, "fonts.conf");
  const [fonts, cache] = [join(directory, "fonts"), join(directory, "font-cache")];
  await writeFile(fontSettings, `<fontconfig><dir>${fonts}</dir><cachedir>${cache}</cachedir></fontconfig>`);
  return {
    executablePath,
    env: { ...process.env, LD_LIBRARY_PATH: join(directory, "al2023", "lib"), FONTCONFIG_FILE: fontSettings },
  };
}
