/** Hooks for requests of the API whose path is all that differs. */
import {
  useMutation,
  useQuery,
  useQueryClient,
  type QueryKey,
  type UseMutationResult,
  type UseQueryOptions,
  type UseQueryResult,
} from "@tanstack/react-query";
import { itemsOf, request, requestJson } from "./client.ts";

type Options<Value> = Omit<UseQueryOptions<Value>, "queryKey" | "queryFn">;

/** Loads a JSON value of the API. */
export function useJson<Value>(queryKey: QueryKey, path: string, options: Options<Value> = {}): UseQueryResult<Value> {
  return useQuery({ queryKey, queryFn: async () => requestJson<Value>(path), ...options });
}

/** Loads the items of a list of the API. */
export function useItems<Item>(
  queryKey: QueryKey,
  path: string,
  options: Options<readonly Item[]> = {},
): UseQueryResult<readonly Item[]> {
  return useQuery({ queryKey, queryFn: async () => itemsOf(await requestJson<readonly Item[]>(path)), ...options });
}

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

/** Returns a mutation that posts its input; its result is the JSON value of the response. */
export function usePost<Result, Body>(queryKey: QueryKey, path: string): UseMutationResult<Result, Error, Body> {
  return useInvalidatingMutation(queryKey, async (body) => requestJson<Result>(path, { method: "POST", body }));
}

/** Like {@link usePost}, with a PUT request. */
export function usePut<Result, Body>(queryKey: QueryKey, path: string): UseMutationResult<Result, Error, Body> {
  return useInvalidatingMutation(queryKey, async (body) => requestJson<Result>(path, { method: "PUT", body }));
}

/** Returns a mutation that deletes what is at the path for its input. */
export function useDelete<Input>(
  queryKey: QueryKey,
  pathOf: (input: Input) => string,
): UseMutationResult<void, Error, Input> {
  return useInvalidatingMutation(queryKey, async (input) => {
    await request(pathOf(input), { method: "DELETE" });
  });
}
