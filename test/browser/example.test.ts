import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import express from "express";
import type { Browser, Page } from "playwright-core";
import { useService } from "../support/service.ts";
import { hasBrowser, openBrowser } from "./support/openBrowser.ts";

/* The publication of examples/web. No screen needs more than one request to show. */
const testInBrowser = hasBrowser ? test : test.skip;
jest.setTimeout(60_000);

const root = fileURLToPath(new URL("../../", import.meta.url));
const built = mkdtempSync(join(tmpdir(), "content-service-example-"));
const run = (program: string, ...args: string[]) =>
  execFileSync(process.execPath, [join(root, "node_modules", program), ...args], { cwd: root, stdio: "pipe" });
run("@graphql-codegen/cli/cjs/bin.js", "--silent", "--config", "examples/web/codegen.ts");
run("vite/bin/vite.js", "build", "examples/web", "--outDir", built, "--emptyOutDir", "--logLevel", "error");

