const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt\s](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * RFC 3339 date and time, checked without the Date object: the mind has no clock and no calendar but this one. Like the
 * common validators of the published contract it also takes a blank for the T and an offset without minutes or colon.
 */
export function isDateTime(value: string): boolean {
  const match = RFC3339.exec(value);
  if (!match) return false;
  const number = (group: number) => Number(match[group] ?? 0);
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map(number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
  if (month < 1 || month > 12 || day < 1 || day > days || hour > 23 || minute > 59) return false;
  const sign = match[7] === "-" ? -1 : 1;
  const [offsetHours, offsetMinutes] = [number(8), number(9)];
  if (offsetHours > 23 || offsetMinutes > 59) return false;
  return second < 60 || (second === 60 && isEndOfDay(hour - sign * offsetHours, minute - sign * offsetMinutes));
}

/** Whether a time, moved to UTC, is the last minute of a day: the only one that can have a leap second. */
function isEndOfDay(hour: number, minute: number): boolean {
  const hourOfUtc = minute < 0 ? hour - 1 : hour;
  return (hourOfUtc === 23 || hourOfUtc === -1) && (minute === 59 || minute === -1);
}
