import { Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import card from '../../components/card.module.css';
import { CheckIcon, CrossIcon, InfoIcon } from '../../components/icons.tsx';
import { useAbilities } from '../../session/abilities.tsx';
import { scopedStatsQuery } from '../../users/queries.ts';
import { appPath } from '../../users/scope.ts';
import classes from '../connect-page.module.css';
import { connectPath } from '../paths.ts';
import type { ConnectedApp } from '../queries.ts';
import { formPageUrl } from '../urls.ts';
import { type Statement, statusOf } from './status.ts';

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const MEANING = { yes: 'Works:', no: 'Does not work:', info: 'Note:' };

/** The state of an app in words. */
export function StatusCard({ app }: { app: ConnectedApp }) {
  const { manage } = useAbilities();
  const { sourceAppId, schema, stored } = app;
  const statements = statusOf({
    settings: stored.settings,
    schema,
    records: useRecordCount(app),
    now: Date.now(),
    format: (at) => dateTime.format(new Date(at)),
  });
  const url = formPageUrl({ origin: window.location.origin, sourceAppId });
  return (
    <section className={card.card} aria-labelledby="connect-status">
      <div className={card.section}>
        <Title order={2} size="h4" id="connect-status">
          What works now
        </Title>
        <ul className={classes.statements}>
          {statements.map((statement) => (
            <Item key={statement.id} statement={statement} />
          ))}
        </ul>
        <p className={classes.more}>
          The form as a page:{' '}
          <a href={url} target="_blank" rel="noopener" className="breaks">
            {url}
          </a>
          .
          {manage && (
            <>
              {' '}
              Texts, closing time and bot protection are in <Link href={connectPath(app, 'settings')}>Settings</Link>.
            </>
          )}
          {!app.asAdmin && (
            <>
              {' '}
              What bot protection holds is in <Link href={appPath(app, 'held')}>Held submissions</Link>.
            </>
          )}
        </p>
      </div>
    </section>
  );
}

function Item({ statement: { tone, text, detail } }: { statement: Statement }) {
  return (
    <li data-tone={tone}>
      <span className={classes.mark}>
        {{ yes: <CheckIcon size={16} />, no: <CrossIcon size={16} />, info: <InfoIcon size={16} /> }[tone]}
        <span className="visually-hidden">{MEANING[tone]}</span>
      </span>
      <span className="breaks">
        <strong>{text}</strong>
        {detail && <span className={classes.detail}> {detail}</span>}
      </span>
    </li>
  );
}

/** The number of records, for apps that have a maximum. */
function useRecordCount({ stored, ...scope }: ConnectedApp): number | undefined {
  const hasMaximum = stored.settings.maxRecords !== null;
  return useQuery({ ...scopedStatsQuery(scope), enabled: hasMaximum }).data?.users;
}
