import type { keys as en } from '../en/keys.tsx';

export const keys: typeof en = {
  title: 'API-Schlüssel',
  note: (sourceAppId) =>
    `Mit API-Schlüsseln können Programme die Daten der Personen von ${sourceAppId} ohne Passwort lesen, ändern und einsenden.`,
  create: 'API-Schlüssel erstellen',
  nothing: 'Noch keine API-Schlüssel',
  nothingNote:
    'Mit einem Schlüssel kann ein Server oder ein Skript diesen Dienst für die App aufrufen. Er darf nur, was Sie ' +
    'erlauben, und Sie können ihn jederzeit löschen.',
  deleteTitle: 'Diesen API-Schlüssel löschen?',
  deleteNote: (name) => (
    <>
      Programme, die <strong>{name}</strong> verwenden, werden ab sofort abgewiesen. Das kann nicht rückgängig gemacht
      werden.
    </>
  ),

  table: 'Tabelle der API-Schlüssel',
  allowedTo: 'Berechtigungen',
  lastUsed: 'Zuletzt verwendet',
  ends: 'Läuft ab',
  fromNetworks: (networks) => `Von ${networks}`,
  deleteKey: (name) => `${name} löschen`,
  neverUsed: 'Nie verwendet',
  fromAddress: (address) => `von ${address}`,
  neverEnds: 'Läuft nie ab',
  ended: 'Abgelaufen',

  created: (name) => `${name} wurde erstellt`,
  nameNote: 'Was den Schlüssel verwendet, zum Beispiel ein Server oder ein Skript.',
  nameExample: 'Nächtlicher Export',
  allowed: 'Was der Schlüssel darf',
  allowNothing: 'Wählen Sie mindestens eine Berechtigung aus.',
  in30Days: 'In 30 Tagen',
  in90Days: 'In 90 Tagen',
  inAYear: 'In einem Jahr',
  never: 'Nie',
  networks: 'Netzwerke',
  networksNote:
    'Nur diese Adressen und Netzwerke dürfen den Schlüssel verwenden, getrennt durch Kommas oder Zeilen. ' +
    'Lassen Sie das Feld leer, um alle zuzulassen.',
  wrongNetwork: (problem) => `Ungültiger Eintrag: ${problem}.`,
  submit: 'Erstellen',

  use: () => (
    <>
      Programme senden diesen Schlüssel mit jeder Anfrage, als <code>Authorization: Bearer uck_…</code>
    </>
  ),
  tryIt: 'Zum Ausprobieren in einem Terminal:',
  warning:
    'Der Dienst speichert nur einen Hash des Schlüssels. Speichern Sie ihn dort, wo Ihr Programm seine Geheimnisse ' +
    'liest. Ein verlorener Schlüssel lässt sich nicht wiederherstellen: Löschen Sie ihn und erstellen Sie einen neuen.',

  assistants: {
    title: 'Assistenten',
    note:
      'Ein Assistent mit einem Schlüssel dieser Seite kann Personen suchen und lesen und, wenn der Schlüssel es darf, ' +
      'ändern oder einsenden. Er liest dabei auch, was Fremde eingesandt haben und was ihm Anweisungen geben kann: ' +
      'Geben Sie ihm einen Schlüssel, der nur das Nötige darf.',
    cursor: 'Cursor',
    vsCode: 'VS Code',
    key: 'API-Schlüssel',
    inFile: (file) => `In der Datei ${file}:`,
  },

  scopes: {
    submit: { name: 'Einsenden', meaning: 'Einsendungen ohne Rechenaufgabe senden.' },
    'users:read': {
      name: 'Personen lesen',
      meaning: 'Personen, zurückgehaltene Einsendungen und Statistiken auflisten, suchen und lesen.',
    },
    'users:write': {
      name: 'Personen ändern',
      meaning: 'Personen ändern und endgültig löschen, zurückgehaltene Einsendungen freigeben und löschen.',
    },
    import: { name: 'Import', meaning: 'Personen aus Dateien importieren.' },
    export: { name: 'Export', meaning: 'Alle Personen exportieren, oder alles über eine Person.' },
    'schema:write': { name: 'Schema ersetzen', meaning: 'Das Schema der App lesen und ersetzen.' },
    webhooks: { name: 'Webhooks', meaning: 'Die Webhooks der App verwalten.' },
  },
};
