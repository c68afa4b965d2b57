import { Button, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Link } from 'wouter';
import type { Field, KeptSubmission } from '../api/endpoints.ts';
import { Email } from '../components/content/addresses.tsx';
import { CopyButton } from '../components/content/copy-button.tsx';
import { FileList, type FileValue, filesOf } from '../components/content/file-list.tsx';
import { Fold } from '../components/content/fold.tsx';
import { Time } from '../components/content/time.tsx';
import { Value } from '../components/content/value.tsx';
import { fieldName, labelOf } from '../components/form/labels.ts';
import { Problem } from '../components/form/problem.tsx';
import { CheckIcon, InboxIcon, LeftIcon, ReplyIcon, RightIcon } from '../components/icons.tsx';
import { useRecordChange } from '../record/editing/use-change.ts';
import { recordQuery } from '../record/queries.ts';
import { useAbilities } from '../session/abilities.tsx';
import { t } from '../texts/texts.ts';
import { recordPath, type Scope } from '../users/scope.ts';
import classes from './inbox.module.css';
import { otherMessagesQuery } from './queries.ts';
import { replyAddress } from './reply.ts';
import { firstTexts, itemText } from './texts.ts';

interface MessageProps {
  scope: Scope;
  message: KeptSubmission;
  fields: readonly Field[];
  /** What people call the form, for the subject of a reply. */
  title: string;
  /** Opens the message before (-1) or after (1) this one; undefined: there is none. */
  go: { previous: (() => void) | undefined; next: (() => void) | undefined };
  /** Marks it as done, or as open again; undefined: the reader may not. */
  move: (() => void) | undefined;
}

/** A submission as a message: who wrote it, what can be done with it, its values, earlier ones. */
export function Message({ scope, message, fields, title, go, move }: MessageProps) {
  const { email, at, page, userId, done } = message;
  return (
    <article className={classes.message} aria-label={t.inbox.messageOf(email)}>
      <header className={classes.head}>
        <div className={classes.sender}>
          <strong>
            <Email>{email}</Email>
          </strong>
          <Text size="xs" c="dimmed" className="breaks">
            <Time at={at} />
            {page !== undefined && ` · ${page}`}
          </Text>
        </div>
        <Button.Group>
          <Button variant="default" size="xs" aria-label={t.inbox.newer} disabled={!go.previous} onClick={go.previous}>
            <LeftIcon size={14} />
          </Button>
          <Button variant="default" size="xs" aria-label={t.inbox.older} disabled={!go.next} onClick={go.next}>
            <RightIcon size={14} />
          </Button>
        </Button.Group>
      </header>
      <div className={classes.tools}>
        <Button
          component="a"
          href={replyAddress(message, fields, title)}
          size="xs"
          leftSection={<ReplyIcon size={14} />}
          data-reply
        >
          {t.inbox.reply}
        </Button>
        {move && (
          <Button
            variant="default"
            size="xs"
            leftSection={done ? <InboxIcon size={14} /> : <CheckIcon size={14} />}
            onClick={move}
          >
            {done ? t.inbox.reopen : t.inbox.done}
          </Button>
        )}
        <Statuses scope={scope} userId={userId} fields={fields} />
        <CopyButton text={email} label={t.inbox.copyAddress} isIcon />
        <Button
          component={Link}
          href={recordPath(scope, userId)}
          variant="default"
          size="xs"
          aria-label={t.common.showRecord}
        >
          {t.inbox.record}
        </Button>
      </div>
      <Values scope={scope} data={message.data} fields={fields} />
      <OtherMessages scope={scope} message={message} fields={fields} />
    </article>
  );
}

interface ValuesProps {
  scope: Scope;
  data: KeptSubmission['data'];
  fields: readonly Field[];
}

function Values({ scope, data, fields }: ValuesProps) {
  const known = fields.filter(({ key }) => Object.hasOwn(data, key));
  const others = Object.keys(data).filter((key) => !fields.some((field) => field.key === key));
  return (
    <dl className={classes.values}>
      {known.map((field) => (
        <Entry
          key={field.key}
          name={fieldName(field)}
          value={labelOf(field, data[field.key])}
          files={filesOf(field, data[field.key])}
          scope={scope}
        />
      ))}
      {others.map((key) => (
        <Entry key={key} name={key} value={data[key]} scope={scope} />
      ))}
    </dl>
  );
}

interface EntryProps {
  name: string;
  value: unknown;
  files?: readonly FileValue[] | undefined;
  scope: Scope;
}

function Entry({ name, value, files, scope }: EntryProps) {
  return (
    <div>
      <dt className={classes.name}>{name}</dt>
      <dd className={`${classes.value} breaks`}>
        {files ? (
          <FileList scope={scope} files={files} isLarge />
        ) : typeof value === 'string' ? (
          value
        ) : Array.isArray(value) ? (
          value.map(itemText).join(value.some(isObject) ? '\n' : ', ')
        ) : (
          <Value value={value} />
        )}
      </dd>
    </div>
  );
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

interface StatusesProps {
  scope: Scope;
  userId: string;
  fields: readonly Field[];
}

/** The choices that only the team makes, such as whether a message was answered. */
function Statuses({ scope, userId, fields }: StatusesProps) {
  const { edit } = useAbilities();
  const choices = fields.flatMap((field) => (field.kind === 'select' && field.writers === 'staff' ? [field] : []));
  const { data } = useQuery({ ...recordQuery(scope, userId), enabled: choices.length > 0 });
  const change = useRecordChange(scope, userId, t.inbox.statusStored);
  const isPointed = useRef(false);
  if (!data) return null;
  const { record, etag } = data;
  return (
    <>
      {choices.map((field) => {
        const { key, enum: values, enumLabels = {} } = field;
        const stored = record.data[key];
        const value = change.isPending ? change.variables.change.set?.[key] : stored;
        return (
          <NativeSelect
            key={key}
            size="xs"
            aria-label={fieldName(field)}
            title={fieldName(field)}
            disabled={!edit}
            value={typeof value === 'string' ? value : ''}
            data={[
              ...(typeof stored === 'string' ? [] : [{ value: '', label: fieldName(field) }]),
              ...values.map((one) => ({ value: one, label: enumLabels[one] ?? one })),
            ]}
            onPointerDown={() => {
              isPointed.current = true;
            }}
            onKeyDown={() => {
              isPointed.current = false;
            }}
            onChange={(event) => {
              // After a choice by pointer the keys of the inbox work; by keyboard, the focus stays.
              if (isPointed.current) event.currentTarget.blur();
              if (change.isPending) return;
              change.mutate({ change: { set: { [key]: event.currentTarget.value } }, etag });
            }}
          />
        );
      })}
      <Problem error={change.error} p="xs" />
    </>
  );
}

/** What else the same person sent. */
function OtherMessages({ scope, message, fields }: Pick<MessageProps, 'scope' | 'message' | 'fields'>) {
  const { data } = useQuery(otherMessagesQuery(scope, message.email));
  const others = data?.submissions.filter(({ id }) => id !== message.id) ?? [];
  if (others.length === 0) return null;
  return (
    <section className={classes.others} aria-label={t.inbox.others}>
      <Text fw={600}>{t.inbox.others}</Text>
      {others.map((one) => (
        <Fold
          key={one.id}
          className={classes.other}
          summary={
            <>
              <Time at={one.at} relative /> · {firstTexts(one.data, fields) || t.held.noData}
            </>
          }
        >
          <Values scope={scope} data={one.data} fields={fields} />
        </Fold>
      ))}
    </section>
  );
}
