export const bigint = () => ({ n: 1n });
export function cycle() {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}
export const angryToJson = () => ({
  toJSON() {
    throw new Error("never");
  },
});
export const nothing = () => undefined;
export const aFunction = () => () => 1;
export const oddNumbers = () => [NaN, Infinity, -0];
export const halfCharacter = () => "\ud800";
