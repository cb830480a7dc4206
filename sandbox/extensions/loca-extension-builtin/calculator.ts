import type { ToolContext } from "./types.ts";

const constants: Record<string, number> = { pi: Math.PI, e: Math.E, tau: 2 * Math.PI };

/** A function and how many arguments it takes, at least and at most. */
const functions: Record<string, [(...n: number[]) => number, number, number]> = {
  sqrt: [Math.sqrt, 1, 1], cbrt: [Math.cbrt, 1, 1], abs: [Math.abs, 1, 1], exp: [Math.exp, 1, 1], sign: [Math.sign, 1, 1],
  ln: [Math.log, 1, 1], log: [Math.log10, 1, 1], log10: [Math.log10, 1, 1], log2: [Math.log2, 1, 1],
  sin: [Math.sin, 1, 1], cos: [Math.cos, 1, 1], tan: [Math.tan, 1, 1],
  asin: [Math.asin, 1, 1], acos: [Math.acos, 1, 1], atan: [Math.atan, 1, 1], atan2: [Math.atan2, 2, 2],
  floor: [Math.floor, 1, 1], ceil: [Math.ceil, 1, 1], trunc: [Math.trunc, 1, 1],
  round: [(n, places = 0) => Math.round(n * 10 ** places) / 10 ** places, 1, 2],
  min: [Math.min, 1, Infinity], max: [Math.max, 1, Infinity], hypot: [Math.hypot, 1, Infinity], pow: [Math.pow, 2, 2],
  fact: [factorial, 1, 1],
};

function factorial(n: number): number {
  if (!Number.isInteger(n) || n < 0 || n > 170) throw new Error("A factorial needs a whole number from 0 to 170.");
  let product = 1;
  for (let i = 2; i <= n; i++) product *= i;
  return product;
}

const token = /\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|([a-zA-Z_]\w*)|(\*\*|[-+*/^%(),!×÷−]))/y;
const plain = new Map([["×", "*"], ["÷", "/"], ["−", "-"], ["**", "^"]]);

function tokens(expression: string): string[] {
  const found: string[] = [];
  const text = expression.trimEnd();
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const match = token.exec(text);
    if (!match) throw new Error(`"${text.slice(at).trim()[0]}" isn't understood, at character ${at + 1}.`);
    const word = match[1] ?? match[2] ?? match[3];
    found.push(plain.get(word) ?? word);
  }
  return found;
}

/**
 * The value of an expression, without eval. From weak to strong: + -, then * / % (remainder), then a sign, then ^ (from the
 * right), then ! and a percent sign that nothing follows: 50% is 0.5, 7 % 3 is 1.
 */
export function evaluate(expression: string): number {
  if (expression.length > 1000) throw new Error("The expression is longer than 1,000 characters.");
  const list = tokens(expression);
  if (list.length === 0) throw new Error("The expression is empty.");
  let at = 0;

  const take = (wanted: string) => list[at] === wanted && ++at > 0;
  const expect = (wanted: string) => {
    if (!take(wanted)) throw new Error(`"${wanted}" is missing ${at < list.length ? `before "${list[at]}"` : "at the end"}.`);
  };
  const startsOperand = (word: string | undefined) => word !== undefined && /^[\w.(]/.test(word);

  function sum(): number {
    let value = product();
    for (;;) {
      if (take("+")) value += product();
      else if (take("-")) value -= product();
      else return value;
    }
  }
  function product(): number {
    let value = signed();
    for (;;) {
      if (take("*")) value *= signed();
      else if (take("/")) {
        const by = signed();
        if (by === 0) throw new Error("Division by zero.");
        value /= by;
      } else if (take("%")) {
        const by = signed();
        if (by === 0) throw new Error("Division by zero.");
        value %= by;
      } else return value;
    }
  }
  function signed(): number {
    if (take("-")) return -signed();
    if (take("+")) return signed();
    return power();
  }
  function power(): number {
    const base = postfix();
    return take("^") ? base ** signed() : base;
  }
  function postfix(): number {
    let value = operand();
    for (;;) {
      if (take("!")) value = factorial(value);
      else if (list[at] === "%" && !startsOperand(list[at + 1])) {
        at++;
        value /= 100;
      } else return value;
    }
  }
  function operand(): number {
    const word = list[at++];
    if (word === undefined) throw new Error("The expression ends too early.");
    if (/^[\d.]/.test(word)) return Number(word);
    if (word === "(") {
      const value = sum();
      expect(")");
      return value;
    }
    if (!/^[a-zA-Z_]/.test(word)) throw new Error(`A number is missing before "${word}".`);
    const name = word.toLowerCase();
    if (Object.hasOwn(constants, name)) return constants[name];
    if (!Object.hasOwn(functions, name)) throw new Error(`"${word}" isn't a known function or constant.`);
    const [apply, least, most] = functions[name];
    expect("(");
    const given = [sum()];
    while (take(",")) given.push(sum());
    expect(")");
    if (given.length < least || given.length > most) throw new Error(`${name} takes ${least === most ? least : `at least ${least}`} value(s), not ${given.length}.`);
    return apply(...given);
  }

  const value = sum();
  if (at < list.length) throw new Error(`"${list[at]}" isn't expected there.`);
  if (!Number.isFinite(value)) throw new Error("The result isn't a finite real number.");
  return value;
}

export function calculator({ expression }: { expression: string }, ctx: ToolContext) {
  // Twelve digits hide what binary fractions add: 0.1 + 0.2 is 0.3. Whole numbers keep all of theirs.
  const value = evaluate(expression);
  ctx.setProgress(1);
  return { expression, result: Number.isInteger(value) ? value : Number(value.toPrecision(12)) };
}
