// What only one part of the repository may import or name.
import { dirname } from 'node:path';
import { filesIn, importsOf, matchesIn, SOURCE, withProblem } from './repository.mjs';

/** What web/ may load at run time. It imports only types from other modules of src/. */
const SHARED_WITH_WEB = [
  'src/fields',
  'src/platform/languages',
  'src/platform/core/errors.ts',
  'src/operators/imports/csv-cells.ts',
  'src/operators/imports/date-format.ts',
  'src/operators/search/value-list.ts',
  'src/outbound/notifications/reply-text.ts',
];

/** What the files of src/ other than those of `owner` do not contain. */
const OWNED = [
  {
    owner: 'src/records/',
    pattern: /\b(?:UserDocument|UserCollection|createUserModel)\b/g,
    problem: 'names the type of the stored record',
  },
  {
    owner: 'src/records/',
    pattern: /\brecords\.users\b|\{[^}]*\busers\b[^}]*\} = records;/g,
    problem: 'uses the collection of the stored records',
  },
  {
    owner: 'src/records/stored/record.ts',
    pattern: /\bcollection: 'users'|[cC]ollection(?:<[^()]*>)?\(\s*'users'/g,
    problem: 'declares the collection of the stored records',
  },
  {
    owner: 'src/records/files/s3-content.ts',
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
    ({ file, to }) => to === 'src/fields/json-schema.ts' && dirname(file) !== 'src/schemas',
  );
  return [
    ...OWNED.flatMap(({ owner, pattern, problem }) =>
      sources
        .filter((file) => !file.startsWith(owner))
        .flatMap((file) => withProblem(matchesIn(file, pattern), () => `${problem}; only ${owner} may`)),
    ),
    ...sources.flatMap((file) =>
      withProblem(matchesIn(file, LOADED_AT_START), () => 'loads the client of AWS before the first use of a bucket'),
    ),
    ...withProblem(loaded, ({ to }) => `loads ${to}, which is not shared with web/`),
    ...withProblem(schemas, ({ to }) => `imports ${to}; only src/schemas may`),
  ];
}
