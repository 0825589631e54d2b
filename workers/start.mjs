// `opsbook worker`, where the environment alone says what a worker is: for images and supervisors.

/** Runs the command with this role, until SIGTERM or SIGINT. Arguments of the program go to the command, too. */
export async function start(role) {
  const { OPSBOOK_HEALTH_HOST: host, OPSBOOK_HEALTH_PORT: port, ...env } = process.env
  const flags = {
    '--role': [role],
    '--listen': [`${host || '0.0.0.0'}:${port || 8080}`],
    '--allow-host': env.OPSBOOK_HEALTH_ALLOW_HOST?.split(','),
    '--deployment': env.OPSBOOK_DEPLOYMENT && [env.OPSBOOK_DEPLOYMENT],
    '--build-id': env.OPSBOOK_BUILD_ID && [env.OPSBOOK_BUILD_ID],
  }
  const given = Object.entries(flags).flatMap(([flag, values]) => (values?.[0] ? [flag, ...values] : []))
  process.argv.splice(2, 0, 'worker', ...given)
  // Also from a copy of this file in a project.
  await import(new URL('dist/cli/main.js', import.meta.resolve('opsbook/package.json')))
}
