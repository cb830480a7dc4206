export async function steal() {
  const name = "./inner" + ".ts";
  return (await import(name)).default;
}
