/** A value of an input, such as a field of a webhook, stands where a shell or an interpreter reads code. */
import { expect, it } from 'vitest'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'

/** Words are separated by blanks, and `_` is a blank inside a word. */
const code = `
docker run --entrypoint sh alpine -c V
docker run --rm --entrypoint=/bin/sh -it alpine -c V
docker run --entrypoint sh --gpus all alpine -c V
docker compose run --entrypoint sh_-c web V
podman run --entrypoint ["python3","-c"] img V
docker run --entrypoint V alpine
bash +x -c V
node --input-type module -e V
lxc exec web -- sh -c V
machinectl shell root@web /bin/sh -c V
aws-vault exec prod -- env A=b sh -c V
fd -e txt -x sh -c V
/lib64/ld-linux-x86-64.so.2 /bin/sh -c V
sudo -i V
sudo --non-interactive V
env -iS V
runuser -u ada sh -c V
runuser -u ada -- sh -c V
unshare -r sh -c V
nsenter -t 1 -m V
find . -execdir V ;
ssh -p 22 host sh -c V
ssh host tar -c V
ssh -o ProxyCommand=V host
ssh -o V host
mosh host V
pdsh -w a V
npx -c V
npm exec -c V
pwsh -ExecutionPolicy Bypass -Command V
pwsh -Command Get-Item V
toybox sh -c V
bash-5.2 -c V
python3-dbg -c V
//bin/sh -c V
.venv/bin/python -c V
/opt/homebrew/bin/bash -lc V
/home/ada/.nvm/bin/node -e V
uv run V
`
const data = `
docker run --entrypoint cat alpine V
docker run --entrypoint sh alpine ./a.sh V
docker exec --env V web ls
useradd -m -s /bin/bash -c V ada
usermod --shell /bin/bash -c V ada
ssh -o ConnectTimeout=V host ls
node --no-warnings a.js -e V
python3 -u a.py V
runuser -u ada ls V
cp bash V
apt-get install -y python3 V
systemd-run --on-active V ls
pwsh -ExecutionPolicy V -File a.ps1
`
const linesOf = (text: string): readonly string[] => text.trim().split('\n')

async function findingsOf(commands: readonly string[]): Promise<readonly string[]> {
  const words = (command: string): readonly string[] =>
    command.split(' ').map((word) => word.replaceAll('_', ' ').replace(/\bV$/, '${{ inputs.v }}'))
  const steps = commands.map(
    (command, at) =>
      `  - { id: s${at}, uses: core/command, with: { command: ${JSON.stringify(words(command))} } }\n`,
  )
  const runbook = `apiVersion: opsbook/v1
name: a
inputs: { type: object, required: [v], properties: { v: { type: string } } }
steps:
${steps.join('')}`
  const folder = await newFolder({ 'a.yaml': runbook, 'opsbook.yaml': 'commands: { local: true }\n' })
  const { stdout, stderr } = await opsbook(['validate', 'a.yaml'], { folder })
  expect(stderr).toBe('')
  const found = [...stdout.matchAll(/^a\.yaml:(\d+):\d+ error (\S+)/gm)]
  expect(found.every(([, , name]) => name === 'INJECTION_RISK')).toBe(true)
  const places = new Set(found.map(([, line]) => Number(line) - 5))
  return commands.filter((_, at) => places.has(at))
}

it('as code it is a finding', async () => {
  expect(await findingsOf(linesOf(code))).toEqual(linesOf(code))
})

it('as data it is none', async () => {
  expect(await findingsOf(linesOf(data))).toEqual([])
})

it('is found behind thousands of programs that start each other', async () => {
  const command = `${'env '.repeat(9_000)}V`
  expect(await findingsOf([command])).toEqual([command])
})
