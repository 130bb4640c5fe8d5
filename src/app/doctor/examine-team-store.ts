import { parseAddress } from "../../hands/store/postgres/address.js";
import { examineServer } from "../../hands/store/postgres/examine-server.js";
import { passwordFrom } from "../../hands/store/postgres/store-password.js";
import type { Examination } from "../setup-reports.js";

/** Contract: throws as opening the store does. Nothing is written. */
export async function examineTeamStore(setting: string, environment: NodeJS.ProcessEnv): Promise<Examination> {
  const found = await examineServer({ address: parseAddress(setting), password: passwordFrom(environment) });
  const { store, version, clockMs, roundMs, state, weaknesses } = found;
  const about = [
    `${store}: Postgres ${version}`,
    `answers in ${roundMs} ms`,
    `clocks differ by ${Math.abs(clockMs)} ms`,
    ...(state === "blank" ? ["holds no store yet, which the first run makes"] : []),
    ...weaknesses.map(({ says }) => says),
  ];
  return {
    name: "store",
    status: weaknesses.length === 0 ? "good" : weaknesses.some(({ stops }) => stops) ? "bad" : "weak",
    detail: about.join("; "),
    fix: weaknesses.length === 0 ? null : weaknesses.map(({ fix }) => fix).join(" "),
  };
}
