import type { Field } from '../../api/endpoints.ts';
import { parseCondition } from '../filters/condition.ts';
import type { ListParameters } from './list-parameters.ts';

/** A part of a link to a list, or of a view, that names a field. */
export interface NamedPart {
  part: 'where' | 'columns' | 'sort' | 'by';
  value: string;
}

/** The parts that name a field which the schema does not have, for example under a former key. */
export function missingParts({ where, columns, sort, by }: ListParameters, fields: readonly Field[]): NamedPart[] {
  const isMissing = (path: string): boolean => path.startsWith('data.') && !hasPath(fields, path);
  return [
    ...where
      .filter((value) => isMissing(parseCondition(value).path))
      .map((value) => ({ part: 'where', value }) as const),
    ...columns.filter(isMissing).map((value) => ({ part: 'columns', value }) as const),
    ...(isMissing(sort) ? [{ part: 'sort', value: sort } as const] : []),
    ...(isMissing(by) ? [{ part: 'by', value: by } as const] : []),
  ];
}

/** The rest of a list. The same object if nothing is missing. */
export function withoutParts(parameters: ListParameters, missing: readonly NamedPart[]): ListParameters {
  if (missing.length === 0) return parameters;
  const has = (part: NamedPart['part'], value: string): boolean =>
    missing.some((one) => one.part === part && one.value === value);
  return {
    ...parameters,
    where: parameters.where.filter((value) => !has('where', value)),
    columns: parameters.columns.filter((value) => !has('columns', value)),
    sort: has('sort', parameters.sort) ? '' : parameters.sort,
    by: has('by', parameters.by) ? '' : parameters.by,
  };
}

/** Whether the schema has the field of a path. */
export const hasPath = (fields: readonly Field[], path: string): boolean =>
  fields.some(({ key }) => `data.${key}` === path);
