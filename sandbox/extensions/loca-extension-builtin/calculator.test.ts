import { equal, throws } from "node:assert/strict";
import { calculator, evaluate } from "./calculator.ts";
import { mockContext } from "./mock.ts";

const values: [string, number][] = [
  ["2 + 3 * 4", 14], ["(2 + 3) * 4", 20], ["2 ^ 3 ^ 2", 512], ["-2 ^ 2", -4], ["2 ^ -1", 0.5], ["2 ** 3", 8], ["8 / 4 / 2", 1],
  ["50%", 0.5], ["200 * 15%", 30], ["7 % 3", 1], ["7 % (3)", 1], ["5%*2", 0.1], ["3!", 6], ["2 * pi", 2 * Math.PI], ["sqrt(16)", 4],
  ["max(1, 5, 3)", 5], ["round(2.345, 1)", 2.3], ["log(1000)", 3], ["1.5e3 + .5", 1500.5], ["6 × 7 ÷ 2 − 1", 20],
];
for (const [expression, value] of values) {
  Deno.test(`${expression} is ${value}`, () => equal(evaluate(expression), value));
}

const errors: [string, RegExp][] = [
  ["", /empty/], ["   ", /empty/], ["2 +", /too early/], ["(2", /"\)" is missing at the end/], ["2 3", /"3" isn't expected/],
  ["1 / 0", /by zero/], ["1 % 0", /by zero/], ["sqrt(-1)", /real number/], ["process", /"process" isn't a known/],
  ["constructor(1)", /isn't a known/], ["2 $ 3", /"\$" isn't understood/], ["* 2", /missing before "\*"/], ["pow(2)", /takes 2/],
  ["171!", /factorial/], ["(-1)!", /factorial/], ["9".repeat(1001), /1,000/],
];
for (const [expression, reason] of errors) {
  Deno.test(`"${expression.slice(0, 20)}" is refused in words`, () => throws(() => evaluate(expression), reason));
}

Deno.test("what binary fractions add is hidden, and whole numbers keep their digits", () => {
  const { ctx, progress } = mockContext();
  equal(calculator({ expression: "0.1 + 0.2" }, ctx).result, 0.3);
  equal(calculator({ expression: "1234567890123456 + 1" }, ctx).result, 1234567890123457);
  equal(progress.at(-1), 1);
});
