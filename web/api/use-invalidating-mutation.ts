import { useMutation, useQueryClient, type QueryKey, type UseMutationResult } from "@tanstack/react-query";

/** Returns a mutation that invalidates everything cached under `queryKey` when it succeeds. */
export function useInvalidatingMutation<Result, Input>(
  queryKey: QueryKey,
  mutationFn: (input: Input) => Promise<Result>,
): UseMutationResult<Result, Error, Input> {
  const cache = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey });
    },
  });
}
