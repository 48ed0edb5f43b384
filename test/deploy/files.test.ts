import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import { defaultSettings } from "../../src/settings.ts";
import { testWith } from "../support/machine.ts";
import { useService } from "../support/service.ts";

/* The files of deploy/ agree with the service, and with the programs that read them, where these are installed. */
// The metrics of a replica are there while it is not, too.
const service = useService({ replicaUrls: ["postgres://127.0.0.1:1"] });
const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (file: string) => readFileSync(`${root}${file}`, "utf8");
const [compose, rules] = ["deploy/compose.yaml", "deploy/prometheus/rules.yaml"].map((file) =>
  parse(read(file), { merge: true }),
);
const kubernetes = (name: string) =>
  parseAllDocuments(read(`deploy/kubernetes/base/${name}.yaml`)).map((document) => document.toJS());
const [kustomization] = kubernetes("kustomization");
const configuration = Object.fromEntries(
  kustomization.configMapGenerator[0].literals.map((literal: string) => literal.split("=")),
);

function run(program: string, args: string[], environment: Record<string, string> = {}): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...environment },
  });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

/** The metrics in an expression of PromQL. */
function metricsIn(expression: string): string[] {
  const bare = expression.replaceAll(/\{[^}]*\}|\b(?:by|without) \([^)]*\)|\$\w+|histogram_quantile/g, "");
  return [...bare.matchAll(/[a-z]+(?:_[a-z0-9]+)+/g)].map(([name]) => name);
}

test("each metric of the alerts and of the board is served by /metrics", async () => {
  await service.ask("query Counted { __typename }");
  await service.ask("{");
  const served = await (await fetch(new URL("/metrics", service.url))).text();
  const alerts = rules.groups[0].rules.map(({ expr }: { expr: string }) => expr);
  const board = JSON.parse(read("deploy/grafana/dashboards/content-service.json"));
  const queries = board.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  );
  const named = new Set<string>([...alerts, ...queries].flatMap(metricsIn));
  expect(named.size).toBeGreaterThan(15);
  const unserved = [...named].filter((name) => !new RegExp(`^${name}[ {]`, "m").test(served));
  expect(unserved).toEqual([]);
});

test("each environment variable that systemd, Compose and Kubernetes give the service is a setting", () => {
  const settings = new Set([...read("docs/settings.md").matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, name]) => name));
  const unit = [...read("deploy/content-service@.service").matchAll(/^Environment=(.*)$/gm)]
    .map(([, line]) => line)
    .join(" ");
  const services: { image?: string; environment: object }[] = Object.values(compose.services);
  const given = [
    ...services.filter(({ image }) => image?.startsWith("content-service:")).map(({ environment }) => environment),
    ...kubernetes("secrets.example").map(({ stringData }) => stringData),
    configuration,
    Object.fromEntries([...unit.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value])),
  ];
  expect(given).toHaveLength(7);
  expect(given.flatMap((variables) => Object.keys(variables)).filter((name) => !settings.has(name))).toEqual([]);
});

test("a stop has the time that STOP_DELAY_MS and DRAIN_TIMEOUT_MS take, and three seconds more", () => {
  const [{ spec }] = kubernetes("deployment");
  expect(spec.template.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(
    Number(configuration.STOP_DELAY_MS) + Number(configuration.DRAIN_TIMEOUT_MS) + 3_000,
  );
  const { stop_grace_period, environment } = compose.services["content-1"];
  expect(Number.parseInt(stop_grace_period, 10) * 1_000).toBeGreaterThan(
    Number(environment.STOP_DELAY_MS) + defaultSettings.drainTimeoutMs + 3_000,
  );
});

test("no password has a default, and each address of nginx is one of an instance", () => {
  const text = read("deploy/compose.yaml");
  const withDefault = [...text.matchAll(/\$\{(\w+)(?!\w|:\?)/g)].map(([, name]) => name);
  expect([...new Set(withDefault)].sort()).toEqual(["PRIMARY", "RELEASE"]);
  expect(text.match(/PASSWORD: (?!\$)/g)).toBeNull();
  const addresses = ["content-1", "content-2"].map((name) => compose.services[name].networks.front.ipv4_address);
  const upstreams = [...read("deploy/nginx.conf").matchAll(/server (127\.0\.0\.1:\d+)/g)].map(
    ([, upstream]) => upstream,
  );
  const command: string = compose.services.nginx.command[2];
  expect(command).toContain(upstreams.map((upstream, index) => `-e s/${upstream}/${addresses[index]}:4000/`).join(" "));
});

test("every container of the compose file has the rights of the pods, and only the networks that it needs", () => {
  const [{ spec }] = kubernetes("deployment");
  const [pod] = spec.template.spec.containers;
  expect(pod.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
  const given: Record<string, any> = compose.services;
  for (const [name, { read_only, cap_drop, cap_add = [], security_opt }] of Object.entries(given)) {
    expect({ name, read_only, cap_drop, security_opt }).toEqual({
      name,
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
    expect(cap_add).toEqual(name === "nginx" ? ["CHOWN", "SETGID", "SETUID"] : []);
  }
  const inNetwork = (network: string) =>
    Object.keys(given)
      .filter((name) => [given[name].networks].flat().some((each) => each === network || each?.[network]))
      .sort();
  expect(inNetwork("database")).toEqual(["content-1", "content-2", "migrate", "pgbouncer", "postgres", "replica"]);
  expect(inNetwork("front")).toEqual(["content-1", "content-2", "nginx"]);
  expect(inNetwork("watch")).toEqual(["content-1", "content-2", "grafana", "prometheus"]);
  expect(compose.networks.database.internal).toBe(true);
});

test("each alert has a test", () => {
  const tests = read("deploy/prometheus/rules.test.yaml");
  const untested = rules.groups[0].rules.filter(({ alert }: { alert: string }) => !tests.includes(alert));
  expect(untested).toEqual([]);
});

testWith("promtool")("promtool accepts the alerts and their tests, and the configuration", () => {
  run("promtool", ["check", "rules", "deploy/prometheus/rules.yaml"]);
  run("promtool", ["test", "rules", "deploy/prometheus/rules.test.yaml"]);
  run("promtool", ["check", "config", "--syntax-only", "deploy/prometheus/prometheus.yaml"]);
});

testWith("docker-compose")("docker-compose accepts the file, and refuses it without a password", () => {
  const names = [...read("deploy/compose.yaml").matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name as string);
  const values = Object.fromEntries(names.map((name) => [name, `/${name}`]));
  const config = (environment: Record<string, string>) =>
    run("docker-compose", ["--file", "deploy/compose.yaml", "config"], environment);
  expect(Object.keys(parse(config(values)).services)).toEqual(Object.keys(compose.services).sort());
  expect(() => config({ ...values, API_PASSWORD: "" })).toThrow("see deploy/README.md");
});

testWith("kubectl")("kubectl builds both kustomizations", () => {
  const base = run("kubectl", ["kustomize", "deploy/kubernetes/base"]);
  expect(base.match(/^kind: \w+/gm)?.sort()).toEqual(
    [
      "ConfigMap",
      "Deployment",
      "HorizontalPodAutoscaler",
      "Job",
      "NetworkPolicy",
      "PodDisruptionBudget",
      "Service",
    ].map((kind) => `kind: ${kind}`),
  );
  expect(run("kubectl", ["kustomize", "deploy/kubernetes/event-loop"])).toContain("name: eventloop_utilization");
});
