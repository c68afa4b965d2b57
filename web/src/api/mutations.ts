import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';

/** A request that changes data. Then the queries whose keys begin with a name are read again. */
export function useChange<Answer, Variables = void>(
  names: string | readonly string[],
  mutationFn: (variables: Variables) => Promise<Answer>,
) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => invalidate(client, ...[names].flat()) });
}

/** Reads the queries again whose keys begin with one of these names. */
export async function invalidate(client: QueryClient, ...names: string[]): Promise<void> {
  await Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name] })));
}
