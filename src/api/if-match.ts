/** Longer tags are none of the service's. */
const TAG = /"[^"]{0,100}"/g;

/**
 * Returns the tags of an `If-Match` header with their quotes; undefined when it sets no condition.
 * Unlike HTTP requires, weak tags count: proxies that compress weaken the service's tags without
 * changing the version.
 */
export function tagsOf(ifMatch: string | undefined): readonly string[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  return ifMatch.match(TAG) ?? [];
}
