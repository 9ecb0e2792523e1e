import { useQueryClient } from "@tanstack/react-query";
import { queryKeys } from "../api/query-keys.ts";
import { signOut } from "../api/session.ts";

/** Returns a function that closes the session and removes everything that was loaded with it. */
export function useSignOut(): () => void {
  const cache = useQueryClient();
  return () => {
    const end = (url: string | null): void => {
      cache.setQueryData(queryKeys.session, null);
      cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.session[0] });
      if (url !== null) location.assign(url);
    };
    void signOut().then(end, () => {
      end(null);
    });
  };
}
