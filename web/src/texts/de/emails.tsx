import type { emails as en } from '../en/emails.tsx';
import { plural } from '../format.ts';

export const emails: typeof en = {
  list: 'Gesendete E-Mails',
  table: 'Tabelle der gesendeten E-Mails',
  state: 'Zustand',
  allStates: 'Alle Zustände',
  states: { waiting: 'Wartet', sent: 'Gesendet', failed: 'Gescheitert' },
  email: 'E-Mail',
  purposes: {
    confirmation: 'Bestätigung der E-Mail-Adresse',
    change: 'Bestätigung einer Änderung',
    reply: 'Antwort auf eine Einsendung',
    entry: 'Link zu einem Eintrag',
    notification: 'Benachrichtigung Ihres Teams',
    digest: 'Zahlen eines Tages',
  },
  to: { person: 'An die Person', operators: 'An Ihr Team' },
  record: 'Datensatz',

  none: 'Noch keine E-Mails',
  noneInState: 'Keine E-Mails in diesem Zustand',
  noneNote:
    'Jede E-Mail der letzten 30 Tage steht hier mit ihren Versuchen. Eine Adresse wird nicht mit ihr aufbewahrt.',

  attempts: (count) => plural(count, { one: '# Versuch', other: '# Versuche' }),
  taken: 'Der Mailserver hat sie angenommen',
  notForAll: (reason) => `Nicht für jede Adresse: ${reason}`,
  status: (status) => `Status ${status}`,
  nextAttemptAt: (time) => <>Nächster Versuch {time}</>,
  nextAttemptSoon: 'Nächster Versuch gleich',
  retry: 'Erneut senden',
  retryOf: (email) => `Erneut senden: ${email}`,

  test: 'Test-E-Mail senden',
  tested: 'Der Mailserver hat die Test-E-Mail angenommen',
  testedNote: 'Wenn sie nicht ankommt, sehen Sie bei den unerwünschten E-Mails nach.',
  testFailed: 'Die Test-E-Mail wurde nicht gesendet',

  failing: (reason) => `Eine E-Mail konnte nicht gesendet werden: ${reason}`,
  reasons: {
    password: 'der Mailserver hat das Passwort abgelehnt',
    noPassword: 'der Mailserver verlangt einen Benutzer und ein Passwort',
    certificate: 'dem Zertifikat des Mailservers wird nicht vertraut',
    encryption: 'eine verschlüsselte Verbindung zum Mailserver ist nicht möglich',
    name: 'der Name des Mailservers wurde nicht gefunden',
    away: 'der Mailserver ist nicht erreichbar',
    silent: 'der Mailserver hat nicht rechtzeitig geantwortet',
    closed: 'der Mailserver hat die Verbindung beendet',
    protocol: 'der Server spricht kein SMTP',
    connection: 'der Mailserver hat die Verbindung abgelehnt',
    sender: 'der Mailserver hat den Absender abgelehnt',
    mailbox: 'das Postfach ist unbekannt',
    full: 'das Postfach ist voll',
    recipient: 'der Mailserver hat den Empfänger abgelehnt',
    content: 'der Mailserver hat den Inhalt abgelehnt',
    tooMany: 'der Mailserver hat zu viele E-Mails bekommen',
    later: 'der Mailserver bittet um einen späteren Versuch',
    interrupted: 'die Versuche wurden unterbrochen',
    unknown: 'die Ursache ist unbekannt',
  },
};
