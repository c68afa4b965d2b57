import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Field, ResponseBody } from '../../api/endpoints.ts';
import { schemaVersionsQuery } from '../../apps/queries.ts';
import { useAbilities } from '../../session/abilities.tsx';
import { t } from '../../texts/texts.ts';
import { parseCondition } from '../filters/condition.ts';
import type { Scope } from '../scope.ts';
import { MissingParts } from '../views/missing-parts.tsx';
import { hasPath, missingParts, type NamedPart } from './link-parts.ts';
import type { ChangeList, ListParameters } from './list-parameters.ts';

interface FormerLinkProps {
  scope: Scope;
  /** The parameters of the link, with its missing parts. */
  parameters: ListParameters;
  fields: readonly Field[];
  change: ChangeList;
}

/**
 * A link that names fields which the newest schema does not have: of fields that were renamed it
 * takes the present keys, if the reader may read the versions, and names the other parts.
 */
export function FormerLink({ scope, parameters, fields, change }: FormerLinkProps) {
  const can = useAbilities();
  const versions = useQuery({ ...schemaVersionsQuery(scope.sourceAppId), enabled: can.schema });
  const renamed = versions.data && underPresentKeys(parameters, fields, versions.data.versions);
  const named = JSON.stringify(renamed);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `change` is new in each render
  useEffect(() => {
    if (renamed) change({ ...renamed, page: parameters.page }, { replace: true });
  }, [named]);
  if (renamed || (can.schema && versions.isPending)) return null;
  return (
    <MissingParts
      title={t.users.views.linkIncomplete}
      note={t.users.views.linkIncompleteNote}
      missing={missingParts(parameters, fields)}
      fields={fields}
    />
  );
}

type Versions = ResponseBody<'GET /auth/apps/:sourceAppId/schema/versions'>['versions'];

/**
 * Reads the missing parts under the present keys of fields that were renamed.
 *
 * @param versions those of the schema, newest first
 * @returns undefined if none of these parts names a renamed field
 */
function underPresentKeys(
  parameters: ListParameters,
  fields: readonly Field[],
  versions: Versions,
): Pick<ListParameters, NamedPart['part']> | undefined {
  const renames = versions.toReversed().map((version) => version.renames ?? []);
  const present = (path: string): string => {
    if (!path.startsWith('data.') || hasPath(fields, path)) return path;
    const key = path.slice('data.'.length);
    const now = renames.reduce((from, pairs) => pairs.find((pair) => pair.from === from)?.to ?? from, key);
    return hasPath(fields, `data.${now}`) ? `data.${now}` : path;
  };
  const { where, columns, sort, by } = parameters;
  const named = {
    where: where.map((value) => {
      const { path } = parseCondition(value);
      return present(path) + value.slice(path.length);
    }),
    columns: columns.map(present),
    sort: present(sort),
    by: present(by),
  };
  return JSON.stringify(named) === JSON.stringify({ where, columns, sort, by }) ? undefined : named;
}
