import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Chunked } from "./chunked.js";

it("is a list: what is put in stands where it was put, and the list it came from stays as it was", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer(), { maxLength: 600 }),
      fc.array(fc.tuple(fc.nat(), fc.integer()), { maxLength: 30 }),
      (values, changes) => {
        let list = Chunked.of(values);
        const expected = [...values];
        for (const [place, value] of changes) {
          if (values.length === 0) break;
          const at = place % values.length;
          const before = [...list];
          const next = list.with(at, value);
          expect([...list]).toEqual(before);
          list = next;
          expected[at] = value;
          expect(list.get(at)).toBe(value);
        }
        expect([...list]).toEqual(expected);
        expect(list.length).toBe(values.length);
      },
    ),
  );
});
