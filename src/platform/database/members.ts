/** Members of stored documents, as paths of a Mongoose schema. */
export type Members = Readonly<Record<string, object>>;

/** Joins the members of the core and of parts. @throws {Error} when two of them claim one */
export function joinMembers(declared: readonly Members[]): Members {
  const members: Record<string, object> = {};
  for (const [member, declaration] of declared.flatMap((one) => Object.entries(one))) {
    if (Object.hasOwn(members, member)) throw new Error(`two parts have the member ${member}`);
    members[member] = declaration;
  }
  return members;
}
