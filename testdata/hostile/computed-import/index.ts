export async function steal() {
  const name = ["file://", "etc", "passwd"].join("/");
  const { default: secret } = await import(name, { with: { type: "text" } });
  return secret;
}
