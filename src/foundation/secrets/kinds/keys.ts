import type { SecretKind } from "./kind.js";

/** Keys and tokens of formats that no one service owns. Private keys of many lines are found by `../find-blocks.ts`. */
export const KEYS: readonly SecretKind[] = [
  { name: "age key", shapes: ["AGE-SECRET-KEY-1{bech32:58}", "AGE-PLUGIN-{uppernum:2-20}-1{bech32:20+}"] },
  {
    name: "JWT",
    shapes: [
      "eyJ{base64url:10+}.eyJ{base64url:10+}.{base64url:10+}",
      "eyJ{base64url:10+}..{base64url:10+}.{base64url:10+}.{base64url:10+}",
    ],
  },
  {
    name: "encrypted JWT",
    shapes: ["eyJ{base64url:10+}.{base64url:20+}.{base64url:8+}.{base64url:10+}.{base64url:20+}"],
  },
  { name: "JWT in base64", shapes: ["ZXlK{base64:60+}"] },
  { name: "private key in base64", shapes: ["LS0tLS1CRUdJTi{base64:40+}"], certain: true },
  {
    name: "PASETO",
    shapes: [
      "v1.local.{base64url:40+}",
      "v2.local.{base64url:40+}",
      "v3.local.{base64url:40+}",
      "v4.local.{base64url:40+}",
      "v2.public.{base64url:60+}",
      "v4.public.{base64url:60+}",
    ],
  },
  {
    name: "extended private key",
    shapes: ["xprv{base58:100+}", "yprv{base58:100+}", "zprv{base58:100+}", "tprv{base58:100+}"],
  },
  { name: "Nostr private key", shapes: ["nsec1{lowernum:58}"] },
  { name: "minisign key", shapes: ["RWRTY0Iy{base64:100+}"] },
  { name: "SSH private key body", shapes: ["b3BlbnNzaC1rZXktdjE{base64:20+}"], certain: true },
  { name: "WireGuard key", shapes: ["PrivateKey = {base64:43}", "PresharedKey = {base64:43}"], after: true },
  {
    name: "basic login",
    shapes: ["Basic {base64:8+}", "basic {base64:8+}", "BASIC {base64:8+}"],
    after: true,
    login: true,
  },
  {
    name: "bearer token",
    shapes: ["Bearer {token68:16+}", "bearer {token68:16+}", "BEARER {token68:16+}"],
    after: true,
    general: true,
  },
  {
    name: "Vault service token of old",
    shapes: ["VAULT_TOKEN=s.{alnum:24}", "X-Vault-Token: s.{alnum:24}"],
    after: true,
  },
  {
    name: "private part of a JWK",
    shapes: [
      '"d":"{base64url:32+}',
      '"d": "{base64url:32+}',
      '\\"d\\":\\"{base64url:32+}',
      '\\"d\\": \\"{base64url:32+}',
    ],
    after: true,
  },
  {
    name: "symmetric JWK",
    shapes: ['"kty":"oct","k":"{base64url:16+}', '"k":"{base64url:22+}', '"k": "{base64url:22+}'],
    after: true,
  },
  { name: "Ansible vault", shapes: ["$ANSIBLE_VAULT;{token68:3+};AES256"], certain: true },
  { name: "Rails master key", shapes: ["RAILS_MASTER_KEY={hex:32}"], after: true },
  {
    name: "Docker login",
    shapes: [
      '"auth":"{base64:12+}',
      '"auth": "{base64:12+}',
      '\\"auth\\":\\"{base64:12+}',
      '\\"auth\\": \\"{base64:12+}',
    ],
    after: true,
    login: true,
  },
  {
    name: "session cookie",
    shapes: [
      "sessionid={lowernum:32}",
      "PHPSESSID={lowernum:26+}",
      "JSESSIONID={uppernum:32}",
      "connect.sid=s%3A{escaped:32+}",
      "_session=eyJ{escaped:60+}",
    ],
    after: true,
  },
];
