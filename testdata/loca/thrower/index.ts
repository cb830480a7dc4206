export function throwError() {
  throw new TypeError("the file is empty");
}
export async function throwText() {
  throw "just a text";
}
export function throwNothing() {
  throw undefined;
}
export function throwObject() {
  throw { code: 7, why: "because" };
}
export function throwMonster() {
  throw new Proxy({}, {
    get() {
      throw new Error("never");
    },
    getPrototypeOf() {
      throw new Error("never");
    },
    ownKeys() {
      throw new Error("never");
    },
  });
}
export function throwLong() {
  throw new Error("long ".repeat(4_000_000));
}
export const notAFunction = 7;
export const fine = () => "fine";
