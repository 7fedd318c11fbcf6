# The image of the tests has no mkfs.ext4, images of Azure do: this machine's, with the libraries that the image lacks.
program=$(readlink -f "$(command -v mkfs.ext4)")
install -m 0755 "$program" "$ROOT/usr/sbin/mkfs.ext4"
ldd "$program" | awk '$3 ~ /^\// { print $1, $3 }' | while read -r name file; do
  find "$ROOT/usr/lib" -name "$name" | grep -q . || install -m 0755 "$(readlink -f "$file")" "$ROOT/usr/lib/x86_64-linux-gnu/$name"
done
