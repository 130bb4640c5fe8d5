import { describe, expect, it } from "vitest";
import { nameOfStore, parseAddress } from "./address.js";
import { refuseOldServer } from "./migrate.js";

describe("the address of a Postgres store", () => {
  it("says where the store is", () => {
    expect(parseAddress("postgres://ada@db.example:6543/team?schema=shop")).toEqual({
      host: "db.example",
      port: 6543,
      user: "ada",
      database: "team",
      schema: "shop",
      encryption: "verified",
    });
    expect(parseAddress("postgresql://a%40b@[::1]/t")).toMatchObject({
      host: "::1",
      port: 5432,
      user: "a@b",
      schema: "coordinator",
      encryption: "none",
    });
    expect(parseAddress("postgres://ada@localhost/t?host=/run/postgresql")).toMatchObject({ host: "/run/postgresql" });
    expect(parseAddress("postgres://ada@db.example/t?sslmode=require").encryption).toBe("unverified");
    expect(nameOfStore(parseAddress("postgres://ada@db.example/t"))).toBe(
      "postgres://ada@db.example:5432/t (schema coordinator)",
    );
  });

  it.each([
    ["mysql://ada@db/t", "not a Postgres address"],
    ["postgres://ada@", "not a Postgres address"],
    ["postgres://db.example/t", "names no user"],
    ["postgres://ada@db.example", "names no database"],
    ["postgres://ada@db.example/t?schema=Shop", "names the schema"],
    ["postgres://ada@db.example/t?schema=pg_shop", "names the schema"],
    ["postgres://ada@db.example/t?sslmode=maybe", "sslmode=maybe"],
    ["postgres://ada@db.example/t?options=x", "unknown parameter: options"],
    ["postgres://ada@db.example/t?host=x", "not a folder"],
    ["postgres://ada:canary@db.example/t", "holds a password"],
    ["postgres://ada:canary@db.example:port/t", "not a Postgres address"],
    ["postgres://%zz@db.example/t", "not a Postgres address"],
  ])("%s is refused", (text, message) => {
    let said: unknown;
    try {
      parseAddress(text);
    } catch (error) {
      said = error;
    }
    expect(said).toMatchObject({ code: "STORE_ADDRESS", message: expect.stringContaining(message) });
    expect((said as Error).message).not.toContain("canary");
  });
});

describe("a server", () => {
  it("that is too old is refused with its version", () => {
    expect(() => refuseOldServer("S", 120_022)).toThrow(
      expect.objectContaining({ code: "STORE_SERVER_OLD", message: expect.stringContaining("Postgres 12") }),
    );
    expect(() => refuseOldServer("S", 130_000)).not.toThrow();
  });
});
