import type { inbox as en } from '../en/inbox.tsx';
import { plural } from '../format.ts';

export const inbox: typeof en = {
  title: 'Posteingang',
  note: 'Jede Einsendung, wie sie kam.',
  ends: (days) =>
    `Jede wird nach ${plural(days, { one: '# Tag', other: '# Tagen' })} gelöscht, einstellbar unter „Datenschutz“. ` +
    'Datensätze bleiben.',
  list: 'Einsendungen',
  new: 'Neu',
  messageOf: (email) => `Nachricht von ${email}`,
  newer: 'Neuere Nachricht',
  older: 'Ältere Nachricht',
  reply: 'Antworten',
  copyAddress: 'Adresse kopieren',
  subject: (form) => `Re: ${form}`,
  wrote: (email, at) => `Am ${at} schrieb ${email}:`,
  statusStored: 'Der Status ist gespeichert',
  others: 'Weitere Nachrichten dieser Person',
  choose: 'Wählen Sie eine Nachricht, um sie hier zu lesen.',
  back: 'Zurück zum Posteingang',
  notHere: 'Diese Nachricht ist nicht auf dieser Seite des Posteingangs',
  notHereNote: 'Vielleicht wurde sie gelöscht, oder sie ist älter. Suchen Sie nach der Person.',
  keys: 'Nächste, vorige Nachricht',
  show: (count, isLeast) => `${count}${isLeast ? ' oder mehr' : ''} zeigen`,
  nothing: 'Noch keine Einsendungen',
  nothingNote: 'Einsendungen erscheinen hier, sobald sie ankommen.',
  noMatch: 'Keine Einsendungen passen',
  noneYet: 'Bisher keine passende',
  noneYetNote: 'Die Suche ist noch nicht fertig. Suchen Sie bei älteren Einsendungen weiter.',
  keepsNone: 'Diese App behält keine Einsendungen',
  keepsNoneNote:
    'Jeder Datensatz zeigt nur die neuesten Werte. Behalten Sie Einsendungen, um jede zu sehen, wie sie kam.',
  goToSettings: 'Aufbewahrung ändern',
};
