#!/usr/bin/env node
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Project } from "./Project.ts";
import { runProgram } from "./runProgram.ts";

/* The program: runs a command on the project in the working directory. */

const [file] = ["mjs", "js", "ts"]
  .map((ending) => resolve(`graphile-migrate-review.config.${ending}`))
  .filter((path) => existsSync(path));
const project: Project = file ? (await import(pathToFileURL(file).href)).default : {};
await runProgram(process.cwd(), project);
