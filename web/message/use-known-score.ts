import { useKnownReports } from "../api/checks.ts";
import { judgeGroups, scoreOf } from "./checks/checks-score.ts";

/**
 * Returns the score of a message whose checks were shown before; null for others. Checks are not done for it: they use a worker
 * thread for a while, and the DNS.
 */
export function useKnownScore(id: string): ReturnType<typeof scoreOf> | null {
  const { lint, delivery } = useKnownReports(id);
  return lint === undefined || delivery === undefined ? null : scoreOf(judgeGroups(lint, delivery));
}
