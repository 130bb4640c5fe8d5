/*
 * Names of technologies that look like names of files: Next.js, socket.io, ASP.NET. Whether a file is really called so is
 * seen in the repository; this only says what such a word means where there is no such file.
 */

/** Technologies that are also written in small letters, without their ending. */
const KNOWN_JS = new Set(
  (
    "alpine angular backbone babylon bun chart d3 deno discord docusaurus ember express fastify feathers handlebars immutable " +
    "jquery knex knockout koa leaflet lit lodash luxon matter mocha moment mustache nest next node nuxt p5 paper passport pdf " +
    "phaser pixi plotly preact proton react redux remix require sails sequelize solid stimulus strapi svelte tensorflow three " +
    "typed underscore video vue winston web3 ethers brain tone hapi gatsby adonis meteor polymer aurelia mithril inferno riot " +
    "hono turbo"
  ).split(" "),
);
const KNOWN_WHOLE = new Set(
  "socket.io engine.io asp.net ado.net vb.net ml.net ml.js date-fns.js draw.io github.io fly.io drone.io crates.io".split(
    " ",
  ),
);

/** One capitalised word and an ending that technologies have: `Three.js`. `UserList.js` is two words, and a component. */
const NAMED_LIKE_ONE = /^[A-Z][a-z0-9]+\.(?:js|io)$|^[A-Z]{2,}(?:\.js|\.NET)$|^[A-Z][A-Za-z]*\.NET$/;
/** Capitalised files that many projects have: a request for `App.js` means the file. */
const USUAL_FILES =
  /^(?:App|Index|Main|Home|Login|Button|Header|Footer|Layout|Router|Routes|Store|Utils|Config|Server|Client|Form|Modal|Navbar|Sidebar|Page|Model|User|Api|Service|Test|Setup)\.js$/;

/**
 * Whether a word is the name of a technology and not of a file. Contract: pure; a word with a folder never is. The caller
 * looks first whether the repository has such a file.
 */
export function isTechnology(word: string): boolean {
  if (word.includes("/") || word.includes("\\")) return false;
  const small = word.toLowerCase();
  if (KNOWN_WHOLE.has(small)) return true;
  if (small.endsWith(".js") && KNOWN_JS.has(small.slice(0, -".js".length))) return true;
  return NAMED_LIKE_ONE.test(word) && !USUAL_FILES.test(word);
}
