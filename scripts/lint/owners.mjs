// What only one part of the repository may import or name.
import { dirname } from 'node:path';
import { filesIn, importsOf, matchesIn, SOURCE, withProblem } from './repository.mjs';

/** What web/ may load at run time. It imports only types from other modules of src/. */
const SHARED_WITH_WEB = [
  'src/core/fields',
  'src/features/display',
  'src/platform/http/safe-parse.ts',
  'src/platform/languages',
  'src/platform/text',
  'src/platform/core/errors.ts',
  'src/features/exports/cell-text.ts',
  'src/features/imports/cell-values.ts',
  'src/features/imports/column-names.ts',
  'src/features/imports/csv-cells.ts',
  'src/features/imports/csv-records.ts',
  'src/features/imports/date-format.ts',
  'src/features/imports/file-encoding.ts',
  'src/features/imports/file-head.ts',
  'src/features/search/value-list.ts',
  'src/features/notifications/reply-text.ts',
];

/** The folders that read and write stored records. */
const OF_RECORDS = [
  'src/core/users/',
  ...['files', 'history', 'idempotency', 'indexes', 'outbox', 'record-reads', 'records', 'renames'].map(
    (feature) => `src/features/${feature}/`,
  ),
];

/** What the files of src/ other than those of `owners` do not contain. */
const OWNED = [
  {
    owners: OF_RECORDS,
    pattern: /\b(?:UserDocument|UserCollection|createUserModel)\b/g,
    problem: 'names the type of the stored record',
  },
  {
    owners: OF_RECORDS,
    pattern: /\brecords\.users\b|\{[^}]*\busers\b[^}]*\} = records;/g,
    problem: 'uses the collection of the stored records',
  },
  {
    owners: ['src/core/users/users.model.ts'],
    pattern: /\bcollection: 'users'|[cC]ollection(?:<[^()]*>)?\(\s*'users'/g,
    problem: 'declares the collection of the stored records',
  },
  {
    owners: ['src/features/files/s3-content.ts'],
    pattern: /['"]@(?:aws-sdk|smithy)\//g,
    problem: 'imports the client of AWS',
  },
];
/** A mention of the client of AWS other than in a type or in a call at its first use. */
const LOADED_AT_START = /^(?!import type |.*\bawait import\().*['"]@(?:aws-sdk|smithy)\//gm;

export function owners() {
  const sources = filesIn(['src'], SOURCE);
  const web = filesIn(['web'], SOURCE).flatMap(importsOf);
  const loaded = web
    .filter(({ file, to, isType }) => file.startsWith('web/src/') && to?.startsWith('src/') && !isType)
    .filter(({ to }) => !SHARED_WITH_WEB.some((shared) => to.startsWith(shared)));
  const schemas = [...sources.flatMap(importsOf), ...web].filter(
    ({ file, to }) => to === 'src/features/schemas/json-schema.ts' && dirname(file) !== 'src/features/schemas',
  );
  return [
    ...OWNED.flatMap(({ owners, pattern, problem }) =>
      sources
        .filter((file) => !owners.some((owner) => file.startsWith(owner)))
        .flatMap((file) => withProblem(matchesIn(file, pattern), () => `${problem}; only ${owners.join(', ')} may`)),
    ),
    ...sources.flatMap((file) =>
      withProblem(matchesIn(file, LOADED_AT_START), () => 'loads the client of AWS before the first use of a bucket'),
    ),
    ...withProblem(loaded, ({ to }) => `loads ${to}, which is not shared with web/`),
    ...withProblem(schemas, ({ to }) => `imports ${to}; only src/features/schemas may`),
  ];
}
