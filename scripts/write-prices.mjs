// `node scripts/write-prices.mjs VERSION`: writes src/hands/agents/price-list.ts from the price data of the npm package
// @pydantic/genai-prices (MIT), which is fetched for that and is not a dependency of the product.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const NAME = "@pydantic/genai-prices";
const PROVIDERS = ["anthropic", "openai", "google", "mistral", "deepseek", "x-ai"];
const [version] = process.argv.slice(2);
if (version === undefined) {
  console.error("Usage: node scripts/write-prices.mjs VERSION");
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "prices-"));
try {
  const npm = (...args) =>
    execFileSync("npm", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const as_of = JSON.parse(npm("view", NAME, "time", "--json"))[version].slice(0, 10);
  npm("pack", `${NAME}@${version}`);
  const packed = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  execFileSync("tar", ["xzf", packed], { cwd: folder });
  const { calcPrice, findProvider } = await import(pathToFileURL(join(folder, "package/dist/index.js")).href);
  const rows = PROVIDERS.flatMap((providerId) => {
    const provider = findProvider({ providerId });
    if (provider === undefined) throw new Error(`there is no provider ${providerId}`);
    return provider.models.flatMap(({ id }) => {
      // Little enough for the first tier of every model.
      const usage = { input_tokens: 1000, output_tokens: 1000 };
      const price = calcPrice(usage, id, { provider, timestamp: new Date(as_of) });
      if (price === null || (price.input_price === 0 && price.output_price === 0)) return [];
      const million = (usd) => Math.round(usd * 1000 * 1e6) / 1e6;
      return [`${providerId}/${id} ${million(price.input_price)} ${million(price.output_price)}`];
    });
  });
  const text = `/*
 * List prices of models: provider, model, US dollars for a million tokens in and out (first tier, no cache, no batch).
 * Written by scripts/write-prices.mjs from the data of ${NAME} ${version} (MIT licence, Pydantic Services Inc.);
 * never edited by hand. A price of one's own stands in the settings, under model_prices, or in the registry.
 */

export const PRICES_AS_OF = "${as_of}";

export const PRICE_LIST = \`
${rows.join("\n")}
\`;
`;
  writeFileSync(fileURLToPath(new URL("../src/hands/agents/price-list.ts", import.meta.url)), text);
  console.log(`${rows.length} prices of ${as_of}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
