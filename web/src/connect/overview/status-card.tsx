import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { dateTime } from '../../components/content/time.tsx';
import { CheckIcon, CrossIcon, InfoIcon } from '../../components/icons.tsx';
import { Section } from '../../components/page/section.tsx';
import { useAbilities } from '../../session/abilities.tsx';
import { t } from '../../texts/texts.ts';
import { scopedStatsQuery } from '../../users/queries.ts';
import { appPath } from '../../users/scope.ts';
import type { ConnectedApp } from '../queries.ts';
import classes from '../share-page.module.css';
import { formPageUrl } from '../urls.ts';
import { type Statement, statusOf } from './status.ts';

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
  const url = formPageUrl(sourceAppId);
  const page = (
    <a href={url} target="_blank" rel="noopener" className="breaks">
      {url}
    </a>
  );
  const settings = <Link href={appPath(app, 'settings')}>{t.connect.status.settings}</Link>;
  const held = <Link href={appPath(app, 'held')}>{t.connect.status.held}</Link>;
  return (
    <Section id="connect-status" title={t.connect.status.title}>
      <ul className={classes.statements}>
        {statements.map((statement) => (
          <Item key={statement.id} statement={statement} />
        ))}
      </ul>
      <p className={classes.more}>
        {t.connect.status.formPage(page)} {manage && t.connect.status.moreSettings(settings)}{' '}
        {!app.asAdmin && t.connect.status.whatIsHeld(held)}
      </p>
    </Section>
  );
}

function Item({ statement: { tone, text, detail } }: { statement: Statement }) {
  return (
    <li data-tone={tone}>
      <span className={classes.mark}>
        {{ yes: <CheckIcon size={16} />, no: <CrossIcon size={16} />, info: <InfoIcon size={16} /> }[tone]}
        <span className="visually-hidden">{t.connect.status.meanings[tone]}</span>
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
