import type { held as en } from '../en/held.tsx';
import { formatNumber, plural } from '../format.ts';

export const held: typeof en = {
  title: 'Zurückgehaltene Einsendungen',
  note: 'Der Schutz vor Bots hält diese Einsendungen 30 Tage zurück. Geben Sie die Einsendungen von Menschen frei, und löschen Sie die anderen.',
  heldCount: (count) => plural(count, { one: '# Einsendung zurückgehalten', other: '# Einsendungen zurückgehalten' }),
  trapped: (count) => (
    <>
      <strong>{formatNumber(count)}</strong> mit einem ausgefüllten Feld, das nur Programme sehen.
    </>
  ),
  unproved: (count, settings) => (
    <>
      <strong>{formatNumber(count)}</strong> ohne gelöste Rechenaufgabe: Das Formular wurde ohne JavaScript gesendet,
      oder seine Seite ist keine https-Seite. „Einbetten“, „Erweitertes Formular“ und „Link“ auf der Seite „Teilen“
      lösen die Aufgabe. Um einfache Formulare sofort zu speichern, wählen Sie einen anderen Schutz: {settings}. Der
      Absender liest, dass jemand die Eingaben ansehen wird.
    </>
  ),
  unchecked: (count) => (
    <>
      <strong>{formatNumber(count)}</strong> ohne gelöste Aufgabe, oder deren Anbieter war nicht erreichbar.
    </>
  ),
  protectionSettings: 'Einstellungen zum Schutz vor Bots',
  settingsOfForm: 'in den Einstellungen des Formulars',
  nothing: 'Nichts ist zurückgehalten',
  noOlder: 'Keine älteren Einsendungen',
  nothingNote:
    'Eine Einsendung wird zurückgehalten, wenn das versteckte Feld ihres Formulars ausgefüllt wurde, wie es ' +
    'Programme tun, oder wenn das Formular ohne JavaScript gesendet wurde, während eine Rechenaufgabe verlangt ist. ' +
    'Im zweiten Fall liest der Absender, dass jemand die Einsendung ansehen wird.',
  stored: (email) => `Die Einsendung von ${email} ist gespeichert.`,
  notStored: (email) => `Die Einsendung von ${email} wurde nicht gespeichert`,
  deleteTitle: 'Diese Einsendung löschen?',
  deleteNote: (email) => (
    <>
      Die Einsendung von <strong>{email}</strong> wird gelöscht. Das kann nicht rückgängig gemacht werden.
    </>
  ),

  table: 'Tabelle der zurückgehaltenen Einsendungen',
  data: 'Daten',
  reason: 'Grund',
  reasons: {
    honeypot: 'Das versteckte Feld wurde ausgefüllt',
    'no-proof': 'Ohne gelöste Rechenaufgabe gesendet',
    'no-captcha': 'Ohne gelöste Aufgabe gesendet',
    'captcha-away': 'Der Anbieter war nicht erreichbar',
  },
  release: 'Freigeben',
  releaseOf: (email) => `${email} freigeben`,
  deleteOf: (email) => `${email} löschen`,
  more: (count) => `${formatNumber(count)} weitere`,
  noData: 'Keine',
};
