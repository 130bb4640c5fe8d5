// Holds a network namespace in which there is nothing but its loopback address. What connects to PORT there reaches
// FOLDER/PORT.sock, where the test listens: the only way out, and gone when the loopback device goes down.
import { connect, createServer } from "node:net";

const [folder, ...ports] = process.argv.slice(2);
for (const port of ports) {
  const server = createServer((client) => {
    const out = connect(`${folder}/${port}.sock`);
    client.pipe(out).pipe(client);
    for (const [one, other] of [
      [client, out],
      [out, client],
    ])
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
  });
  server.listen(Number(port), "127.0.0.1", () => console.log(`listens on ${port}`));
}
