import type { overview as en } from '../en/overview.tsx';
import { plural } from '../format.ts';

export const overview: typeof en = {
  title: 'Überblick',
  note: 'Was fehlschlägt, steht oben, dann folgen die neuesten Einsendungen',
  table: 'Tabelle der Ereignisse',
  tasks: 'Zu erledigen',
  noTasks: 'Nichts schlägt fehl, und nichts wartet auf Sie.',
  held: (count) => plural(count, { one: '# zurückgehaltene Einsendung', other: '# zurückgehaltene Einsendungen' }),
  webhooksFailing: (count) => plural(count, { one: '# Webhook schlägt fehl', other: '# Webhooks schlagen fehl' }),
  mailsFailing: (count) =>
    plural(count, { one: '# E-Mail konnte nicht gesendet werden', other: '# E-Mails konnten nicht gesendet werden' }),
  submissions: 'Einsendungen',
  chart: 'Einsendungen pro Tag (UTC)',
  today: 'Heute',
  week: '7 Tage',
  days: (count) => plural(count, { one: '# Tag', other: '# Tage' }),
  last: 'Letzte Einsendung',
  stored: 'Gespeichert',
  people: 'Personen',
  files: 'Dateien',
  nothing: 'Noch keine Einsendung',
  nothingNote:
    'Teilen Sie den Link des Formulars, oder setzen Sie es auf Ihre Website. Hier wird gezählt, was ankommt.',
  noApps: 'Noch keine App',
  noAppsNote: 'Hier erscheint ein Überblick über jede App.',
  partial: 'Die Zeit reichte nicht, alles zu zählen. Die fehlenden Zahlen kommen beim nächsten Mal.',
};
