-- The roles of a hub and a schema for each service: the owner makes and changes tables (`prickle migrate`), a service
-- reads and writes the rows of its own schema and can do nothing else. Run by psql as a superuser on the hub's database,
-- and again after a password changed. The passwords are files in /run/secrets, or in the folder `-v secrets=FOLDER`.

\if :{?secrets}
\else
  \set secrets /run/secrets
\endif
\set owner `cat :'secrets'/postgres-owner`
\set gateway `cat :'secrets'/postgres-gateway`
\set rooms `cat :'secrets'/postgres-rooms`
\set tasks `cat :'secrets'/postgres-tasks`
\set pulse `cat :'secrets'/postgres-pulse`
\set runs `cat :'secrets'/postgres-runs`

CREATE TEMPORARY TABLE roles (name text, schema text, password text);
INSERT INTO roles VALUES ('prickle_owner', NULL, :'owner');
INSERT INTO roles SELECT 'prickle_' || service, service, password FROM (
  VALUES ('gateway', :'gateway'), ('rooms', :'rooms'), ('tasks', :'tasks'), ('pulse', :'pulse'), ('runs', :'runs')
) AS services (service, password);

SELECT format('CREATE ROLE %I LOGIN', name) FROM roles WHERE to_regrole(name) IS NULL \gexec
SELECT format('ALTER ROLE %I PASSWORD %L', name, password) FROM roles \gexec
REVOKE ALL ON DATABASE :"DBNAME" FROM PUBLIC;
ALTER DATABASE :"DBNAME" OWNER TO prickle_owner;
SELECT format('GRANT CONNECT ON DATABASE %I TO %I', :'DBNAME', name) FROM roles \gexec
SELECT format('CREATE SCHEMA IF NOT EXISTS %I AUTHORIZATION prickle_owner', schema) FROM roles WHERE schema <> '' \gexec
SELECT format('GRANT USAGE ON SCHEMA %I TO %I', schema, name) FROM roles WHERE schema <> '' \gexec
SELECT format(
  'ALTER DEFAULT PRIVILEGES FOR ROLE prickle_owner IN SCHEMA %I GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO %I',
  schema, name
) FROM roles WHERE schema <> '' \gexec
SELECT format(
  'ALTER DEFAULT PRIVILEGES FOR ROLE prickle_owner IN SCHEMA %I GRANT USAGE ON SEQUENCES TO %I', schema, name
) FROM roles WHERE schema <> '' \gexec
DROP TABLE roles;
