import { setTimeout as delay } from "node:timers/promises";
import { must, seconds, type Trial } from "../Stage.ts";

const alerts = "http://127.0.0.1:9090/api/v1/alerts";
const patienceMs = 240_000;

interface Alert {
  state: string;
  labels: { alertname: string; instance?: string };
}

/** Prometheus notices an instance that is stopped, and its return. */
export const alert: Trial = async ({ composition }) => {
  const until = async (isFiring: boolean) => {
    const from = performance.now();
    for (;;) {
      const { data } = (await (await fetch(alerts)).json()) as { data: { alerts: Alert[] } };
      const fires = data.alerts.some(
        ({ state, labels }) =>
          state === "firing" && labels.alertname === "InstanceDown" && labels.instance === "content-2:4000",
      );
      if (fires === isFiring) return performance.now() - from;
      must(performance.now() - from < patienceMs, `After ${seconds(patienceMs)}: ${JSON.stringify(data.alerts)}`);
      await delay(1_000);
    }
  };
  await until(false);
  await composition.compose("stop", "content-2");
  const fired = await until(true);
  await composition.compose("start", "content-2");
  await composition.untilHealthy("content-2");
  const over = await until(false);
  return `InstanceDown fires ${seconds(fired)} after the stop, and is over ${seconds(over)} after the start`;
};
