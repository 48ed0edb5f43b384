import { rmSync } from "node:fs";
import { join } from "node:path";
import { fakeProgram } from "./fakeProgram.ts";
import { lackOf, machinePrograms } from "./machine.ts";

/* Tests that need a newer program than the machine has are skipped, and the end of the run says why. */
type Name = keyof typeof machinePrograms;

/** What the machine lacks if this is what its program prints. */
function lackWith(name: Name, text: string, status?: number): string | undefined {
  const directory = fakeProgram(name, text, status);
  const path = join(directory, name);
  try {
    return lackOf({ ...machinePrograms[name], path })?.replace(path, name);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const oldKubectl = `Client Version: version.Info{Major:"1", Minor:"20", GitVersion:"v1.20.2", GoVersion:"go1.19.8"}`;
const kubectl = `Client Version: version.Info{Major:"1", Minor:"26", GitVersion:"v1.26.0", GoVersion:"go1.19.4"}`;

test.each<[Name, version: string, text: string]>([
  ["pgbouncer", "1.9", "PgBouncer 1.9.0"],
  ["psql", "9.6", "psql (PostgreSQL) 9.6.24"],
  ["nginx", "1.18", "nginx version: nginx/1.18.0 (Ubuntu)"],
  ["promtool", "2.31", "promtool, version 2.31.2+ds1 (branch: debian/sid)\n  go version: go1.17.3"],
  ["docker-compose", "1.25", "docker-compose version 1.25.0, build unknown"],
  ["kubectl", "1.20", oldKubectl],
])("%s %s is too old", (name, version, text) => {
  expect(lackWith(name, text)).toBe(`${name} from ${machinePrograms[name].from} on (this machine has ${version})`);
});

test.each<[Name, text: string]>([
  ["pgbouncer", "PgBouncer 1.18.0\nlibevent 2.1.12-stable"],
  ["pgbouncer", "PgBouncer 1.25.1"],
  ["psql", "psql (PostgreSQL) 18beta1"],
  ["nginx", "nginx version: nginx/1.29.4"],
  ["promtool", "promtool, version 3.5.0 (branch: HEAD)"],
  ["docker-compose", "Docker Compose version v2.40.3"],
  ["kubectl", kubectl],
  ["kubectl", "Client Version: v1.34.1\nKustomize Version: v5.7.1"],
  ["curl", "curl 8.17.0 (x86_64-pc-linux-gnu) libcurl/8.17.0"],
])("%s is new enough: %s", (name, text) => {
  expect(lackWith(name, text)).toBeUndefined();
});

test.each<Name>(["docker-compose", "nginx"])("a %s that fails is no program of use, and so is none", (name) => {
  const { remedy } = machinePrograms[name];
  expect(lackWith(name, "The command could not be found in this WSL 2 distro. See 1.2.3.", 1)).toBe(remedy);
  expect(lackOf({ ...machinePrograms[name], path: "/nonexistent" })).toBe(remedy);
});
