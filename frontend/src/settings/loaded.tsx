import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { problemOf } from "../host";
import { Button, ProblemView, Skeleton } from "../kit";

/** What a query gives, or that it is coming, or why it did not. */
export function Loaded<T>({ query, lines = 4, children }: { query: UseQueryResult<T>; lines?: number; children(value: T): ReactNode }) {
  const { t } = useTranslation("common");
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ProblemView problem={problemOf(query.error)} actions={<Button small busy={query.isFetching} onClick={() => void query.refetch()}>{t("again")}</Button>} />;
  return <Skeleton lines={lines} label={t("loading")} />;
}
