import type { components as en } from '../en/components.tsx';
import { plural } from '../format.ts';

export const components: typeof en = {
  actions: 'Aktionen',
  actionsFor: (name) => `Aktionen für ${name}`,

  copy: 'Kopieren',
  copied: 'Kopiert',
  notCopied: 'Der Text wurde nicht kopiert. Markieren und kopieren Sie ihn',

  pages: 'Seitennavigation',
  newer: 'Neuere',
  older: 'Ältere',
  previous: 'Zurück',
  rowsPerPage: 'Zeilen pro Seite',
  rows: (count) => plural(count, { one: '# Zeile', other: '# Zeilen' }),

  notLoaded: 'Die Daten konnten nicht geladen werden',
  loading: 'Wird geladen',
  clear: 'Leeren',
  dismiss: 'Meldung schließen',

  secretOnce: 'Das wird nur einmal angezeigt',
  copySecret: {
    password: 'Passwort kopieren',
    link: 'Link kopieren',
    key: 'Schlüssel kopieren',
    secret: 'Geheimnis kopieren',
  },
  savedSecret: {
    password: 'Ich habe das Passwort gespeichert',
    link: 'Ich habe den Link gespeichert',
    key: 'Ich habe den Schlüssel gespeichert',
    secret: 'Ich habe das Geheimnis gespeichert',
    'these codes': 'Ich habe die Codes gespeichert',
  },
  done: 'Fertig',

  leave: 'Ihre Änderungen verwerfen?',
  stay: 'Weiter bearbeiten',
  discard: 'Verwerfen',
  leavePage: 'Ihre Änderungen sind nicht gespeichert. Diese Seite verlassen und sie verwerfen?',

  typeToConfirm: (expected) => (
    <>
      Das kann nicht rückgängig gemacht werden. Geben Sie zur Bestätigung <strong className="breaks">{expected}</strong>{' '}
      ein.
    </>
  ),

  seconds: (count) => plural(count, { one: '# Sekunde', other: '# Sekunden' }),
  minutes: (count) => plural(count, { one: '# Minute', other: '# Minuten' }),
  justNow: 'gerade eben',
  yes: 'Ja',
  no: 'Nein',
  noValue: 'Kein Wert',
  files: (count) => plural(count, { one: '# Datei', other: '# Dateien' }),
  infected: 'Schadsoftware',

  export: 'Export',
  exportFailed: 'Export fehlgeschlagen',

  language: 'Sprache',
  broken: 'Etwas ist schiefgegangen',
  brokenNote: 'Diese Seite konnte nicht angezeigt werden. Ihre gespeicherten Daten sind nicht betroffen.',
  reload: 'Seite neu laden',

  unreachable: 'Der Dienst ist nicht erreichbar',
  errorStatus: (status) => `Der Dienst hat mit dem Status ${status} geantwortet`,

  logInFailed: 'Anmeldung fehlgeschlagen',
};
