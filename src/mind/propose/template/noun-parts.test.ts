import { assert, constantFrom, property, shuffledSubarray, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { nounParts } from "./noun-parts.js";

describe("parts that a sentence lists", () => {
  it.each([
    [
      "Add authentication with JWT, a profile page, and password reset",
      ["Add authentication with JWT", "Add a profile page", "Add password reset"],
    ],
    [
      "Create a Next.js application with Supabase authentication and a product catalog",
      ["Build Supabase authentication", "Build a product catalog"],
    ],
    ["Build a web app with login, search and notifications.", ["Build login", "Build search", "Build notifications"]],
    ["Add a settings page and an audit history to the app", ["Add a settings page", "Add an audit history"]],
    ["Add a profile page and a settings page", ["Add a profile page", "Add a settings page"]],
    [
      "Implement rate limiting, request logging and a health endpoint",
      ["Implement rate limiting", "Implement request logging", "Implement a health endpoint"],
    ],
    [
      "Please add a shopping cart, product reviews and a wishlist",
      ["Add a shopping cart", "Add product reviews", "Add a wishlist"],
    ],
    ["Add a login page and build a settings page for admins", ["Add a login page", "Build a settings page"]],
    [
      "Set up a newsletter, a blog and a contact page",
      ["Set up a newsletter", "Set up a blog", "Set up a contact page"],
    ],
    ["Create a REST API with user registration, file uploads and webhooks using Fastify", null],
    [
      "Build a blog platform including comments, a search page and an RSS feed that updates every hour",
      ["Build comments", "Build a search page", "Build an RSS feed"],
    ],
  ])("%s", (text, parts) => {
    if (parts !== null) expect(nounParts(text)).toEqual(parts);
    else expect(nounParts(text).length).toBeGreaterThan(1);
  });
});

describe("one task", () => {
  it.each([
    "Rename a, b and c in x.ts",
    "Fix crash when a, b or c",
    "Add a, b and c columns to the users table",
    "Add sorting, filtering and pagination to the order list",
    "Add a page that shows orders, a search and a map",
    "Add a dashboard with a chart, a search and an export",
    "Add name, email and phone fields to the profile form",
    "Add --json and --csv flags to the export command",
    "Add tests for login, logout and password reset",
    "Add support for Node.js 20, 22 and 24",
    "Add retries and timeouts to the HTTP client",
    "Add search and replace to the editor",
    "Add a Node.js health endpoint to the API",
    "Implement `login`, `logout` and `reset`",
    "Create src/login.ts, src/logout.ts and src/reset.ts",
    "Add an export to CSV and PDF",
    "Make the login page faster and the search simpler",
    "Write documentation for login, search and export",
    "Fix the login page, the search and the export",
    "Update the login page, the search and the export",
    "Add a login page with email and password",
    "Add a map and reduce helper",
    "Add logging and error handling",
    "Add caching",
    "Add dark mode and light mode toggle to settings",
    "Build the project with caching and logging enabled",
    "Add login or registration, and search",
    "Introduce a cache between the API and the database",
    "Make the map and the search work offline",
    "Add an endpoint to list, create and delete invoices",
    "Implement import and export of settings",
    "Create a report of users, payments and subscriptions",
    "Add a notification when a payment, a refund or a subscription fails",
    "Add validation to the login, registration and reset endpoints",
  ])("%s", (text) => {
    expect(nounParts(text)).toEqual([]);
  });

  it("splits no list of details, whatever they are called", () => {
    const details = [
      "name",
      "email",
      "colour",
      "timeout",
      "retries",
      "--json",
      "width",
      "the header",
      "a column",
      "two tests",
    ];
    const verbs = ["Add", "Rename", "Fix", "Remove", "Support", "Implement", "Handle", "Change"];
    assert(
      property(constantFrom(...verbs), shuffledSubarray(details, { minLength: 2, maxLength: 6 }), (verb, items) => {
        expect(nounParts(`${verb} ${items.slice(0, -1).join(", ")} and ${items.at(-1)}`)).toEqual([]);
      }),
    );
  });

  it("splits lists of deliverables into all of them, in their order, and loses none", () => {
    const things = [
      "a profile page",
      "password reset",
      "user registration",
      "product search",
      "a shopping cart",
      "email notifications",
    ];
    assert(
      property(
        constantFrom("Add", "Build", "Implement"),
        shuffledSubarray(things, { minLength: 2, maxLength: 6 }),
        (verb, items) => {
          const text = `${verb} ${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
          expect(nounParts(text)).toEqual(items.map((item) => `${verb} ${item}`));
        },
      ),
    );
  });

  it("takes any text, and two parts or none come of it", () => {
    assert(
      property(string({ unit: "binary", maxLength: 500 }), (text) => {
        expect(nounParts(`Add ${text}`).length).not.toBe(1);
      }),
    );
  });
});
