import { useEffect, useState } from "react";

/** What a person does not notice as waiting, in milliseconds; nothing says "busy" before it is over. */
export const unnoticed = 150;

/** Becomes true once the flag has been true for as long as a person notices, and false at once. */
export function useNoticed(flag: boolean): boolean {
  const [noticed, setNoticed] = useState(false);
  useEffect(() => {
    if (!flag) {
      setNoticed(false);
      return;
    }
    const timer = setTimeout(() => setNoticed(true), unnoticed);
    return () => clearTimeout(timer);
  }, [flag]);
  return flag && noticed;
}
