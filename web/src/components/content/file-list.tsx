import { Anchor, Badge, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { buildUrl } from '../../api/call.ts';
import type { Field } from '../../api/endpoints.ts';
import { t } from '../../texts/first-texts.ts';
import { formatBytes } from '../../texts/format.ts';
import { type Scope, scopeParameter } from '../../users/scope.ts';
import classes from './file-list.module.css';

/** A file that a record, or a submission, names. */
export interface FileValue {
  id: string;
  name: string;
  type: string;
  size: number;
  infected?: true;
}

/** The pictures that a browser shows. Larger ones are not loaded for a thumbnail. */
const PICTURES = ['png', 'jpeg', 'gif', 'webp'];
const MAX_THUMBNAIL = 1_000_000;

/** The files of a stored value; undefined if the value, or the field, is of another kind. */
export function filesOf({ kind }: Pick<Field, 'kind'>, value: unknown): FileValue[] | undefined {
  if (kind !== 'file' || !Array.isArray(value)) return undefined;
  return value.every((one) => typeof one?.id === 'string' && typeof one.name === 'string') ? value : undefined;
}

interface FileListProps {
  scope: Scope;
  files: readonly FileValue[];
  /** Whether pictures are shown in a size in which one sees them. */
  isLarge?: boolean;
  /** What can be done with a file. */
  action?: (file: FileValue) => ReactNode;
}

/** Files with their name, type and size; a link saves one. */
export function FileList({ scope, files, isLarge, action }: FileListProps) {
  return (
    <ul className={classes.list} data-large={isLarge || undefined}>
      {files.map((file) => (
        <li key={file.id} className={classes.file}>
          <Picture scope={scope} file={file} />
          <span className={classes.about}>
            {file.infected ? (
              <>
                {file.name} <Badge color="red">{t.components.infected}</Badge>
              </>
            ) : (
              <Anchor href={urlOf(scope, file)} download={file.name}>
                {file.name}
              </Anchor>
            )}
            <Text size="xs" c="dimmed">
              {file.type.toUpperCase()} · {formatBytes(file.size)}
            </Text>
          </span>
          {action?.(file)}
        </li>
      ))}
    </ul>
  );
}

function Picture({ scope, file }: { scope: Scope; file: FileValue }) {
  const isShown = PICTURES.includes(file.type) && file.size <= MAX_THUMBNAIL && !file.infected;
  if (!isShown) {
    return (
      <span className={classes.picture} aria-hidden="true">
        {file.type.toUpperCase()}
      </span>
    );
  }
  return <img className={classes.picture} src={urlOf(scope, file, '1')} alt="" loading="lazy" />;
}

const urlOf = (scope: Scope, { id }: FileValue, inline = ''): string =>
  buildUrl('/auth/files/:id', { id }, { ...scopeParameter(scope), inline });
