import { Button, Loader, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from '../../components/form/form.tsx';
import { AS_TYPED, inputProps } from '../../components/form/input.ts';
import { SearchIcon } from '../../components/icons.tsx';
import { LoadError } from '../../components/page/load-error.tsx';
import { t } from '../../texts/texts.ts';
import type { Scope } from '../../users/scope.ts';
import classes from '../privacy.module.css';
import { matchesQuery } from './queries.ts';

const MAX_LENGTH = 254;
const COMPLETE = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

interface PersonSearchProps {
  scope: Scope | undefined;
  onChoose: (email: string) => void;
}

/** Finds persons by a part of their email, with the apps that have a record of them. */
export function PersonSearch({ scope, onChoose }: PersonSearchProps) {
  const [typed, setTyped] = useState('');
  const [part, setPart] = useState('');
  const matches = useInfiniteQuery(matchesQuery(scope, part));
  const appsOf = new Map<string, string[]>();
  for (const { email, sourceAppId } of matches.data?.pages.flatMap(({ found }) => found) ?? []) {
    appsOf.set(email, [...(appsOf.get(email) ?? []), sourceAppId]);
  }
  const isKnown = appsOf.has(part.toLowerCase());
  return (
    <>
      <Form onSubmit={() => setPart(typed.trim())} className={classes.row}>
        <TextInput
          label={t.privacy.search.label}
          className={classes.grow ?? ''}
          autoComplete="off"
          {...AS_TYPED}
          maxLength={MAX_LENGTH}
          {...inputProps(typed, setTyped)}
        />
        <Button type="submit" leftSection={<SearchIcon size={16} />} disabled={typed.trim() === ''}>
          {t.privacy.search.find}
        </Button>
      </Form>
      {matches.error && <LoadError error={matches.error} onRetry={matches.refetch} />}
      {part !== '' && !matches.error && (
        <>
          <Text mt="sm" role="status">
            {matches.isFetching ? (
              <>
                <Loader size={14} aria-hidden="true" /> {t.privacy.search.searching}
              </>
            ) : matches.hasNextPage ? (
              t.privacy.search.foundSoFar(appsOf.size)
            ) : (
              t.privacy.search.found(appsOf.size)
            )}
          </Text>
          <ul className={`${classes.list} ${classes.found}`} aria-label={t.privacy.search.persons}>
            {[...appsOf].map(([email, apps]) => (
              <Found key={email} email={email} apps={scope ? undefined : apps} onChoose={onChoose} />
            ))}
            {!isKnown && !matches.isFetching && COMPLETE.test(part) && (
              <Found email={part} note={t.privacy.search.noRecord} onChoose={onChoose} />
            )}
          </ul>
          {matches.hasNextPage && (
            <Button
              variant="default"
              size="xs"
              mt="sm"
              loading={matches.isFetchingNextPage}
              onClick={() => void matches.fetchNextPage()}
            >
              {t.privacy.search.searchOn}
            </Button>
          )}
        </>
      )}
    </>
  );
}

interface FoundProps {
  email: string;
  /** The apps that have a record. */
  apps?: readonly string[] | undefined;
  note?: string;
  onChoose: (email: string) => void;
}

function Found({ email, apps, note, onChoose }: FoundProps) {
  return (
    <li className={classes.entry}>
      <div>
        <strong>{email}</strong>
        {apps && <Text c="dimmed">{apps.join(', ')}</Text>}
        {note && <Text c="dimmed">{note}</Text>}
      </div>
      <Button
        variant="default"
        size="xs"
        aria-label={t.privacy.search.showDataOf(email)}
        onClick={() => onChoose(email)}
      >
        {t.privacy.search.showData}
      </Button>
    </li>
  );
}
