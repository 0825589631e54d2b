import { fileURLToPath } from 'node:url'
import type { ViteUserConfig } from 'vitest/config'

// Tests import the library by its public name. OPSBOOK_TEST_TARGET=dist points that name at the build.
const target = process.env.OPSBOOK_TEST_TARGET === 'dist' ? 'dist' : 'src'
const extension = target === 'dist' ? 'js' : 'ts'
const door = (room: string): string =>
  fileURLToPath(new URL(`./${target}/${room}index.${extension}`, import.meta.url))

const config: ViteUserConfig = {
  resolve: {
    alias: {
      'opsbook/api': door('api/'),
      'opsbook/sandbox': door('sandbox/'),
      'opsbook/temporal': door(target === 'dist' ? 'temporal/' : 'engine/temporal/'),
      opsbook: door(''),
    },
  },
  test: {
    pool: 'forks',
    // One for each processor: on a small machine the default leaves half of it idle.
    maxWorkers: '100%',
    testTimeout: 20_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'core',
          include: ['test/core/**/*.test.ts', 'test/load/**/*.test.ts', 'test/fuzz/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          // Nothing is mocked and every file starts servers of its own: one process for all saves half of the time.
          isolate: false,
          // The thread that hashes long records is no module of vitest: Node reads its source itself.
          execArgv: [
            '--import',
            fileURLToPath(new URL('./test/read-source-in-threads.mjs', import.meta.url)),
          ],
          include: [
            'test/api/**/*.test.ts',
            'test/sandbox/**/*.test.ts',
            'test/actions/**/*.test.ts',
            'test/service/**/*.test.ts',
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'engine',
          include: [
            'test/engine/**/*.test.ts',
            'test/cli/**/*.test.ts',
            'test/triggers/**/*.test.ts',
            'test/project/**/*.test.ts',
            'test/runbooks/**/*.test.ts',
            'test/security/**/*.test.ts',
            'test/torture/**/*.test.ts',
            'test/security/**/*.test.ts',
          ],
          exclude: ['test/engine/temporal/**', 'test/torture/temporal/**', 'test/security/temporal/**'],
          testTimeout: 60_000,
          // Where many tests look at the same runs, these are carried out before the first of them.
          hookTimeout: 60_000,
          expect: { poll: { timeout: 40_000 } },
        },
      },
      {
        extends: true,
        test: {
          name: 'temporal',
          // One real server for all of them. Whoever asks for other tests alone does not start it.
          globalSetup: ['test/engine/temporal/the-server.ts'],
          include: [
            'test/engine/temporal/**/*.test.ts',
            'test/torture/temporal/**/*.test.ts',
            'test/security/temporal/**/*.test.ts',
          ],
          testTimeout: 60_000,
          // Making the code of the workflows ready takes a while.
          hookTimeout: 60_000,
        },
      },
    ],
  },
}

export default config
