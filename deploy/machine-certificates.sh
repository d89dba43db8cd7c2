#!/bin/sh
# Makes an authority and a certificate for each machine, in the folder it is started in:
#   machine-certificates.sh 10.0.0.11 10.0.0.12 10.0.0.13
# writes ca.crt, ca.key, and ADDRESS/machine.crt and ADDRESS/machine.key. Started again with the same ca.key, it makes new ones or further ones.
# Each machine gets ca.crt and its own two files in /etc/ssl/namjai (machine.key: root:ssl-cert, 0640). ca.key stays off all of them.
set -eu
umask 077
if [ ! -e ca.key ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj "/CN=namjai machines" \
    -addext "keyUsage=critical,keyCertSign,cRLSign" -keyout ca.key -out ca.crt 2> /dev/null
fi
for address in "$@"; do
  mkdir -p "$address"
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$address" \
    -keyout "$address/machine.key" -out "$address/machine.csr" 2> /dev/null
  # 127.0.0.1 as well: the server reaches PostgreSQL through HAProxy on its own machine. Both uses: etcd and Patroni are servers and clients.
  printf 'subjectAltName=IP:%s,IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n' "$address" > "$address/machine.ext"
  openssl x509 -req -in "$address/machine.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 825 -extfile "$address/machine.ext" \
    -out "$address/machine.crt" 2> /dev/null
  rm "$address/machine.csr" "$address/machine.ext"
  chmod 644 "$address/machine.crt"
done
chmod 644 ca.crt
