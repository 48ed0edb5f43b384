import { rightsOf } from "../rightsOf.ts";
import { must, type Trial } from "../Stage.ts";

/** What each container may do, as the kernel has it. */
export const rights: Trial = async ({ composition }) => {
  for (const service of composition.services) {
    const container = await composition.container(service);
    must(container !== undefined, `${service} does not run`);
    const { capabilities, canGain, isRoot } = await rightsOf(container.State.Pid);
    const allowed = (container.HostConfig.CapAdd ?? []).map((name) => name.replace("CAP_", ""));
    must(
      capabilities.every((name) => allowed.includes(name)),
      `${service} has the capabilities ${capabilities}`,
    );
    must(!canGain, `${service} can gain privileges`);
    must(!isRoot || service === "nginx", `${service} runs as root`);
    const written = await composition.exec(service, "sh", "-c", "touch /written 2> /dev/null && echo written || true");
    must(!written.includes("written"), `${service} can write to its image`);
  }
  return `${composition.services.length} containers: no capabilities (nginx: CHOWN, SETGID, SETUID), no new privileges, a read-only root, no root but nginx's first process`;
};

/** Who reaches whom. */
export const networks: Trial = async ({ composition }) => {
  const addresses = { postgres: await composition.address("postgres"), nginx: await composition.address("nginx") };
  const reaches = async (service: string, host: string, port: number) => {
    const tries: Record<string, string[]> = {
      nginx: ["nc", "-z", "-w", "2", host, String(port)],
      prometheus: ["wget", "--quiet", "--timeout=2", "--tries=1", "--output-document=-", `http://${host}:${port}/`],
      "content-1": [
        "node",
        "-e",
        `require("node:net").connect(${port}, "${host}").on("connect", () => process.exit(0)).on("error", () => process.exit(1))`,
      ],
    };
    const bash = ["timeout", "2", "bash", "-c", `</dev/tcp/${host}/${port}`];
    return composition.exec(service, ...(tries[service] ?? bash)).then(
      () => true,
      ({ message }: Error) => /no data received|error getting response|bad header|connection reset/i.test(message),
    );
  };
  must(await reaches("content-1", addresses.postgres, 5432), "The service does not reach PostgreSQL");
  must(await reaches("nginx", "172.31.250.11", 4000), "nginx does not reach the service");
  must(!(await reaches("nginx", addresses.postgres, 5432)), "nginx reaches PostgreSQL");
  must(!(await reaches("prometheus", addresses.postgres, 5432)), "Prometheus reaches PostgreSQL");
  must(!(await reaches("pgbouncer", addresses.nginx, 443)), "PgBouncer reaches nginx");
  return "nginx and Prometheus do not reach PostgreSQL, PgBouncer does not reach nginx";
};
