import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium, type LaunchOptions } from "playwright-core";
import { isAtLeast, versionOf } from "../../../tools/support/versionOf.ts";

const project = new URL("../../../", import.meta.url);
const given = process.env.CHROMIUM;
/** `npm ci` brings a Chromium for this platform, with the libraries that it needs. */
const isBrought = process.platform === "linux" && process.arch === "x64";
const installed = [
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
].find(existsSync);
const own = given || !isBrought ? (given ?? installed) : undefined;

/** The pages are built for it and newer ones: Vite's default. */
export const oldestBrowser = "111";

/** False: there is nothing to look with. Install Chromium or Chrome, or set CHROMIUM to the path of one. */
export const hasBrowser = own ? isAtLeast(versionOf(own) ?? "0", oldestBrowser) : isBrought;

/** Opens a headless Chromium. */
export async function openBrowser(): Promise<Browser> {
  return launch(own ? { executablePath: own } : await unpacked());
}

/** Unpacks the Chromium that npm has brought, once for all tests of a run: their temporary directory is deleted in the end. */
async function unpacked(): Promise<LaunchOptions> {
  const directory = join(tmpdir(), "browser");
  if (!existsSync(directory)) {
    const draft = await mkdtemp(`${directory}-`);
    await unpack(draft);
    // Another test file was quicker.
    await rename(draft, directory).catch(() => rm(draft, { recursive: true }));
  }
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: join(directory, "al2023", "lib"),
    FONTCONFIG_FILE: join(directory, "fonts.conf"),
  };
  return { executablePath: join(directory, "chromium"), env };
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
async function unpack(directory: string): Promise<void> {
  const script = 'import chromium from "@sparticuz/chromium"; await chromium.executablePath();';
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: project,
    env: { ...process.env, TMPDIR: directory, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x" },
  });
  // Named by where they will be.
  const [fonts, cache] = ["fonts", "font-cache"].map((name) => join(tmpdir(), "browser", name));
  await writeFile(
    join(directory, "fonts.conf"),
    `<fontconfig><dir>${fonts}</dir><cachedir>${cache}</cachedir></fontconfig>`,
  );
}
