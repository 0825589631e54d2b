import { cpSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'
import { startService } from '../cli/support/service.ts'

const runbook = `apiVersion: opsbook/v1
name: make
steps:
  - id: app
    uses: rum/application/create
    with: { application_name: shop, type: browser, team_id: 1 }
`

type Loss = (file: string) => void

const losses: readonly { readonly name: string; readonly lose: Loss }[] = [
  { name: 'of 0 bytes', lose: (file) => truncateSync(file, 0) },
  { name: 'of 1 byte', lose: (file) => truncateSync(file, 1) },
  { name: 'of 5000 bytes', lose: (file) => truncateSync(withoutLog(file), 5000) },
  { name: 'of other bytes', lose: (file) => writeFileSync(withoutLog(file), 'no database'.repeat(1000)) },
  { name: 'that is gone', lose: (file) => rmSync(file) },
  {
    name: 'that another program made anew',
    lose(file) {
      for (const side of ['', '-wal', '-shm']) rmSync(`${file}${side}`, { force: true })
      const database = new DatabaseSync(file)
      database.exec('PRAGMA journal_mode = WAL')
      database.close()
    },
  },
]

/** The file once all of its log is in it. */
function withoutLog(file: string): string {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = DELETE')
  database.close()
  return file
}

describe.each(losses)('a database $name beside what runs have left', ({ lose }) => {
  it('is damage: nothing is called, and it stays as it is', async () => {
    const service = await startService()
    const folder = await newFolder({ 'make.yaml': runbook })
    let dataDir = 'data'
    const command = (...words: string[]) =>
      opsbook(words, { folder, env: { ...service.env(), OPSBOOK_DATA_DIR: dataDir } })
    const run = ['run', 'make.yaml', '--id', 'ticket-1']
    expect(await command(...run)).toMatchObject({ code: 0 })
    // Connections of this process that are not collected yet would write to the file.
    dataDir = 'lost'
    cpSync(join(folder, 'data'), join(folder, dataDir), { recursive: true })
    const file = join(folder, dataDir, 'opsbook.db')
    lose(file)
    const bytes = statSync(file, { throwIfNoEntry: false })?.size
    const listen = ['--listen', '127.0.0.1:0']
    for (const words of [
      run,
      ['runs'],
      ['doctor'],
      ['serve', ...listen],
      ['console', '--read-only', ...listen],
    ]) {
      const { code, stdout, stderr } = await command(...words)
      const said = `${code} ${stdout}${stderr}`
      expect(said).toMatch(
        /^[15] [\s\S]*opsbook\.db is damaged: [\s\S]* Restore the data directory from a backup/,
      )
      expect(said.match(/is damaged/g)).toHaveLength(1)
      expect(said).not.toContain('Check free space')
    }
    expect(statSync(file, { throwIfNoEntry: false })?.size).toBe(bytes)
    expect((await service.calls()).filter((name) => name === 'E2')).toHaveLength(1)
  })
})
